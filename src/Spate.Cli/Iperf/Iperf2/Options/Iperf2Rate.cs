using System.Runtime.InteropServices;

namespace Spate.Cli.Iperf.Iperf2.Options;

/// <summary>The rate of a flow (-b).</summary>
/// <param name="Value">Bits or datagrams a second; 0 for as fast as possible.</param>
/// <param name="IsDatagrams">Whether datagrams are counted.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct Iperf2Rate(double Value, bool IsDatagrams)
{
    /// <summary>Datagrams a second.</summary>
    /// <param name="sizeBytes">The payload bytes of each, which are what the rate counts.</param>
    public double DatagramsPerSecond(int sizeBytes) =>
        Value == 0 ? double.PositiveInfinity : IsDatagrams ? Value : Value / 8 / sizeBytes;
}
