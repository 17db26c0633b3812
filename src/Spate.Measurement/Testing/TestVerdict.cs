using System.Globalization;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.Testing;

/// <summary>Says in one sentence where the datagrams of a direction were lost.</summary>
internal static class TestVerdict
{
    public static string Of(TrafficReport sent, TrafficReport received, long lost)
    {
        if (sent.Datagrams == 0) return "nothing was sent";
        if (lost == 0) return "every datagram arrived";

        long full = received.KernelDropUnit is "datagrams" ? Math.Min(lost, received.KernelDrops ?? 0) : 0;
        string share = (100.0 * full / lost).ToString("0.#", CultureInfo.InvariantCulture);
        return full == 0
            ? "where the datagrams were lost is not known"
            : $"{share} % of the loss is the receiving socket's buffer ({received.BufferGrantedBytes} bytes granted, "
                + $"{received.BufferAskedBytes} asked)";
    }
}
