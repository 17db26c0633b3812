using System.Net.Sockets;
using Spate.HostTuning.Reading.Probing;

namespace Spate.Tests.HostTuning.Reading.Probing;

public sealed class EchoMessageTests
{
    private static readonly byte[] Mark = "0123456789abcdef"u8.ToArray();

    [Fact]
    public void WriteRequest_Ipv4_HasTypeNumbersAndASumThatClosesToZero()
    {
        byte[] message = new byte[99];

        EchoMessage.WriteRequest(message, AddressFamily.InterNetwork, 0x1234, 7, Mark);

        Assert.Equal((byte[])[8, 0], message[..2]);
        Assert.Equal((byte[])[0x12, 0x34, 0, 7], message[4..8]);
        Assert.Equal(Mark, message[8..24]);
        long sum = 0;
        for (int i = 0; i < message.Length; i += 2)
        {
            sum += message[i] << 8 | (i + 1 < message.Length ? message[i + 1] : 0);
        }

        Assert.Equal(0xffff, (sum & 0xffff) + (sum >> 16));
    }

    [Theory]
    [InlineData(AddressFamily.InterNetwork, 0, 7, 0, true)]
    [InlineData(AddressFamily.InterNetwork, 0, 7, 20, true)]
    [InlineData(AddressFamily.InterNetwork, 0, 7, 60, true)]
    [InlineData(AddressFamily.InterNetwork, 8, 7, 20, false)]
    [InlineData(AddressFamily.InterNetwork, 0, 6, 0, false)]
    [InlineData(AddressFamily.InterNetworkV6, 129, 7, 0, true)]
    [InlineData(AddressFamily.InterNetworkV6, 128, 7, 0, false)]
    [InlineData(AddressFamily.InterNetworkV6, 0, 7, 0, false)]
    public void IsReply_TypeNumberAndHead_AreLookedAt(
        AddressFamily family, int type, int sequence, int headBytes, bool expected)
    {
        byte[] message = new byte[headBytes + 40];
        EchoMessage.WriteRequest(message.AsSpan(headBytes), family, 1, (ushort)sequence, Mark);
        message[headBytes] = (byte)type;
        if (headBytes > 0) message[0] = (byte)(0x40 | headBytes / 4);

        Assert.Equal(expected, EchoMessage.IsReply(message, family, 7, Mark));
        Assert.False(EchoMessage.IsReply(message, family, 7, "someone else's.."u8));
    }

    [Fact]
    public void IsReply_AnyBytes_NeitherThrowsNorMatches()
    {
        int seed = Environment.TickCount;
        var random = new Random(seed);
        for (int i = 0; i < 20_000; i++)
        {
            byte[] message = new byte[random.Next(80)];
            random.NextBytes(message);
            bool isReply = EchoMessage.IsReply(message, AddressFamily.InterNetwork, 7, Mark)
                || EchoMessage.IsReply(message, AddressFamily.InterNetworkV6, 7, Mark);
            Assert.False(isReply, $"seed {seed}");
        }
    }
}
