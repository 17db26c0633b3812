using System.Net;
using System.Net.Sockets;

namespace Spate.CliTests.Samples;

/// <summary>Random datagrams, and spoilt ones of a sample's own protocol.</summary>
internal static class SampleAttack
{
    private const int DatagramCount = 1000;
    private const int MaxBytes = 600;

    /// <summary>Makes the datagrams, every second one spoilt.</summary>
    /// <param name="random">The source of chance.</param>
    /// <param name="valid">Datagrams that the sample understands.</param>
    public static IEnumerable<byte[]> Datagrams(Random random, params byte[][] valid)
    {
        for (int i = 0; i < DatagramCount; i++)
        {
            byte[] payload = new byte[random.Next(MaxBytes)];
            random.NextBytes(payload);
            yield return i % 2 == 1 && valid.Length > 0 ? Spoil(valid[random.Next(valid.Length)], random) : payload;
        }
    }

    /// <summary>Sends them to a sample.</summary>
    public static async Task SendAsync(IPEndPoint endPoint, Random random, params byte[][] valid)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        foreach (byte[] payload in Datagrams(random, valid))
        {
            await socket.SendToAsync(payload, endPoint, TestContext.Current.CancellationToken);
        }
    }

    private static byte[] Spoil(byte[] valid, Random random)
    {
        byte[] spoilt = [.. valid, .. new byte[random.Next(3)]];
        for (int i = random.Next(4); i > 0; i--) spoilt[random.Next(spoilt.Length)] = (byte)random.Next(256);
        return spoilt[..random.Next(spoilt.Length + 1)];
    }
}
