using Spate.Measurement.Accounting;

namespace Spate.Tests.Measurement.Accounting;

public sealed class TestDatagramTests
{
    [Fact]
    public void WriteData_KnownValues_BytesAreAsDocumented()
    {
        byte[] payload = [.. Enumerable.Repeat((byte)0xEE, TestDatagram.HeaderBytes + 2)];

        TestDatagram.WriteData(payload, 0x0102030405060708, 0x1112131415161718);

        Assert.Equal(
            "D793F4B8" + "01" + "01" + "0000" + "0102030405060708" + "1112131415161718" + "EEEE",
            Convert.ToHexString(payload));
    }

    [Fact]
    public void WriteEnd_KnownValues_OnlyKindDiffers()
    {
        var payload = new byte[TestDatagram.HeaderBytes];

        TestDatagram.WriteEnd(payload, 1, 2);

        Assert.Equal("D793F4B8" + "01" + "02" + "0000" + "0000000000000001" + "0000000000000002",
            Convert.ToHexString(payload));
    }

    [Theory]
    [InlineData(0UL, 0L)]
    [InlineData(ulong.MaxValue, TestDatagram.MaxSequence)]
    [InlineData(0x8000_0000_0000_0000UL, 1L << 40)]
    public void TryRead_WrittenHeader_GivesItBack(ulong streamId, long sequence)
    {
        var payload = new byte[100];

        TestDatagram.WriteData(payload, streamId, sequence);
        Assert.True(TestDatagram.TryRead(payload, out TestDatagram data));
        Assert.Equal(new TestDatagram(TestDatagramKind.Data, streamId, sequence), data);

        TestDatagram.WriteEnd(payload, streamId, sequence);
        Assert.True(TestDatagram.TryRead(payload, out TestDatagram end));
        Assert.Equal(new TestDatagram(TestDatagramKind.End, streamId, sequence), end);

        TestDatagram.WriteTotal(payload, streamId, sequence);
        Assert.True(TestDatagram.TryRead(payload, out TestDatagram total));
        Assert.Equal(new TestDatagram(TestDatagramKind.Total, streamId, sequence), total);
    }

    [Fact]
    public void TryRead_EveryShorterPayload_IsOther()
    {
        var payload = new byte[TestDatagram.HeaderBytes];
        TestDatagram.WriteData(payload, 1, 2);

        for (int length = 0; length < payload.Length; length++)
        {
            Assert.False(TestDatagram.TryRead(payload.AsSpan(0, length), out TestDatagram datagram));
            Assert.Equal(TestDatagramKind.Other, datagram.Kind);
        }
    }

    [Fact]
    public void TryRead_AnyBitOfThePrefixFlipped_IsOther()
    {
        for (int bit = 0; bit < 64; bit++)
        {
            var payload = new byte[TestDatagram.HeaderBytes];
            TestDatagram.WriteData(payload, 1, 2);
            payload[bit / 8] ^= (byte)(1 << (bit % 8));

            Assert.False(TestDatagram.TryRead(payload, out _), $"bit {bit}");
        }
    }

    [Theory]
    [InlineData(TestDatagram.MaxSequence + 1)]
    [InlineData(long.MaxValue)]
    [InlineData(-1)]
    [InlineData(long.MinValue)]
    public void TryRead_SequenceNoSenderReaches_IsOther(long sequence)
    {
        var payload = new byte[TestDatagram.HeaderBytes];
        TestDatagram.WriteData(payload, 1, sequence);

        Assert.False(TestDatagram.TryRead(payload, out _));
    }

    [Fact]
    public void WriteData_PayloadTooShort_Throws() =>
        Assert.Throws<ArgumentOutOfRangeException>(
            () => TestDatagram.WriteData(new byte[TestDatagram.HeaderBytes - 1], 1, 2));

    [Fact]
    public void NewStreamId_CalledOften_NeverRepeats()
    {
        var ids = new HashSet<ulong>();
        for (int i = 0; i < 1000; i++)
        {
            Assert.True(ids.Add(TestDatagram.NewStreamId()));
        }
    }
}
