using Spate.Gateway.Format;
using Spate.TestHelpers.Gateways;

namespace Spate.Tests.Gateway.Format;

public sealed class RecordWriterTests
{
    [Theory]
    [InlineData("1.2.3.4:258", "", false, "0200" + "00" + "03" + "04030201" + "0201" + "01020304" + "AABB")]
    [InlineData("1.2.3.4:258", "", true, "0200" + "01" + "03" + "04030201" + "0201" + "01020304" + "AABB")]
    [InlineData("1.2.3.4:258", "5.6.7.8", false,
        "0200" + "04" + "03" + "04030201" + "0201" + "01020304" + "05060708" + "AABB")]
    [InlineData("1.2.3.4:258", "2001:db8::1", false,
        "0200" + "00" + "03" + "04030201" + "0201" + "01020304" + "AABB")]
    [InlineData("[2001:db8::2]:258", "", false,
        "0200" + "02" + "03" + "04030201" + "0201" + "20010DB8000000000000000000000002" + "AABB")]
    [InlineData("[fe80::2%7]:258", "fe80::1%7", true,
        "0200" + "0F" + "03" + "04030201" + "0201" + "FE800000000000000000000000000002" + "07000000"
        + "FE800000000000000000000000000001" + "AABB")]
    public void TryWrite_Datagram_HasTheDocumentedBytes(string peer, string local, bool isTruncated, string expected)
    {
        byte[] room = new byte[64];
        UdpAddress localAddress = local.Length == 0 ? default : UdpAddress.Parse(local);

        int bytes = RecordWriter.TryWrite(
            room, UdpEndPoint.Parse(peer), localAddress, 3, 0x01020304, [0xAA, 0xBB], isTruncated);

        Assert.Equal(expected, Convert.ToHexString(room.AsSpan(0, bytes)));
        Assert.Equal(-1, room.AsSpan(bytes).IndexOfAnyExcept((byte)0));
    }

    [Theory]
    [InlineData(215, 0)]
    [InlineData(216, 216)]
    public void TryWrite_RoomAtTheEdge_IsTakenOrLeftAlone(int roomBytes, int expected)
    {
        byte[] room = new byte[roomBytes];

        int bytes = RecordWriter.TryWrite(room, MessageBytes.Peer, default, 0, 0, Payload(202), isTruncated: false);

        Assert.Equal(expected, bytes);
        if (expected == 0) Assert.Equal(new byte[roomBytes], room);
    }

    [Fact]
    public void TryWrite_PayloadLongerThanTheLengthCanSay_IsRefused() => Assert.Equal(0, RecordWriter.TryWrite(
        new byte[70_000], MessageBytes.Peer, default, 0, 0, Payload(65_536), isTruncated: false));

    [Fact]
    public void TryWrite_ManyDatagrams_AllocatesNothing()
    {
        byte[] room = new byte[300];
        byte[] payload = Payload(200);
        UdpEndPoint peer = MessageBytes.Peer;
        Write();
        long before = GC.GetAllocatedBytesForCurrentThread();

        Write();

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);

        void Write()
        {
            for (uint i = 0; i < 1000; i++) _ = RecordWriter.TryWrite(room, peer, default, 0, i, payload, false);
        }
    }

    private static byte[] Payload(int bytes)
    {
        byte[] payload = new byte[bytes];
        Array.Fill(payload, (byte)0xEE);
        return payload;
    }
}
