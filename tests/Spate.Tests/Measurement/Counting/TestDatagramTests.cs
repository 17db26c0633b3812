using System.Buffers.Binary;
using Spate.Measurement.Counting;

namespace Spate.Tests.Measurement.Counting;

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

    [Fact]
    public void WriteData_WithTime_BytesAreAsDocumented()
    {
        byte[] payload = [.. Enumerable.Repeat((byte)0xEE, TestDatagram.TimedHeaderBytes + 2)];

        TestDatagram.WriteData(payload, 0x0102030405060708, 0x1112131415161718, 0x2122232425262728);

        Assert.Equal(
            "D793F4B8" + "02" + "01" + "0000" + "0102030405060708" + "1112131415161718" + "2122232425262728" + "EEEE",
            Convert.ToHexString(payload));
    }

    [Theory]
    [InlineData(TestDatagram.HeaderBytes, 0)]
    [InlineData(TestDatagram.TimedHeaderBytes - 1, 0)]
    [InlineData(TestDatagram.TimedHeaderBytes, 3)]
    [InlineData(1380, 3)]
    public void TryRead_WrittenWithTime_VersionFollowsTheSize(int sizeBytes, long sentNanoseconds)
    {
        byte[] payload = [.. Enumerable.Repeat((byte)0xEE, sizeBytes)];

        TestDatagram.WriteData(payload, 1, 2, 3);
        Assert.True(TestDatagram.TryRead(payload, out TestDatagram data));
        Assert.Equal(new TestDatagram(TestDatagramKind.Data, 1, 2) { SentNanoseconds = sentNanoseconds }, data);
        Assert.Equal(sentNanoseconds > 0 ? 2 : 1, payload[4]);

        TestDatagram.WriteEnd(payload, 1, 2, 3);
        Assert.True(TestDatagram.TryRead(payload, out TestDatagram end));
        Assert.Equal(new TestDatagram(TestDatagramKind.End, 1, 2) { SentNanoseconds = sentNanoseconds }, end);
    }

    [Theory]
    [InlineData(4, 0)]
    [InlineData(4, 3)]
    [InlineData(4, 255)]
    [InlineData(5, 0)]
    [InlineData(5, 3)]
    [InlineData(5, 0x10)]
    [InlineData(5, 255)]
    [InlineData(6, 1)]
    [InlineData(7, 2)]
    [InlineData(16, 0x40)]
    [InlineData(24, 0x80)]
    public void TryRead_MagicWithAnUnknownField_IsUnknown(int offset, byte value)
    {
        var payload = new byte[TestDatagram.TimedHeaderBytes];
        TestDatagram.WriteData(payload, 1, 2, 3);
        payload[offset] = value;

        Assert.False(TestDatagram.TryRead(payload, out TestDatagram datagram));
        Assert.Equal(new TestDatagram(TestDatagramKind.Unknown, 0, 0), datagram);
    }

    [Fact]
    public void WriteChecksum_KnownPayload_BytesAreAsDocumented()
    {
        byte[] payload = new byte[TestDatagram.ChecksummedHeaderBytes + 3];
        TestDatagram.WriteData(payload, 1, 2, 3);
        byte[] cleared = [.. payload];
        cleared[7] = 1;

        TestDatagram.WriteChecksum(payload);

        Assert.Equal(1, payload[7]);
        Assert.Equal(BitwiseCrc32C(cleared), BinaryPrimitives.ReadUInt32BigEndian(payload.AsSpan(32)));
        Assert.True(TestDatagram.TryRead(payload, out TestDatagram datagram));
        Assert.True(datagram.HasChecksum);
        Assert.True(TestDatagram.HasRightChecksum(payload));
        Assert.Throws<ArgumentOutOfRangeException>(() => TestDatagram.WriteChecksum(new byte[35]));
    }

    [Fact]
    public void HasRightChecksum_AnyBitFlipped_IsFalse()
    {
        byte[] payload = new byte[61];
        TestDatagram.WriteData(payload, 1, 2, 3);
        Assert.False(TestDatagram.HasRightChecksum(payload));
        TestDatagram.WriteChecksum(payload);
        for (int bit = 0; bit < 8 * payload.Length; bit++)
        {
            payload[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.False(TestDatagram.HasRightChecksum(payload), $"bit {bit}");
            payload[bit / 8] ^= (byte)(1 << (bit % 8));
        }

        Assert.True(TestDatagram.HasRightChecksum(payload));
    }

    [Fact]
    public void BitwiseCrc32C_CheckValue_IsThatOfTheStandard() =>
        Assert.Equal(0xE3069283, BitwiseCrc32C("123456789"u8));

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
    public void TryRead_EveryShorterPayload_IsOtherOrCutAfterTheMagic()
    {
        foreach (int headerBytes in (int[])[TestDatagram.HeaderBytes, TestDatagram.TimedHeaderBytes])
        {
            var payload = new byte[headerBytes];
            TestDatagram.WriteData(payload, 1, 2, 3);
            for (int length = 0; length < headerBytes; length++)
            {
                Assert.False(TestDatagram.TryRead(payload.AsSpan(0, length), out TestDatagram datagram));
                Assert.Equal(length < 4 ? TestDatagramKind.Other : TestDatagramKind.Unknown, datagram.Kind);
            }
        }
    }

    [Fact]
    public void TryRead_AnyBitOfThePrefixFlipped_IsOtherOrUnknown()
    {
        foreach (int headerBytes in (int[])[TestDatagram.HeaderBytes, TestDatagram.TimedHeaderBytes])
        {
            for (int bit = 0; bit < 64; bit++)
            {
                var payload = new byte[headerBytes];
                TestDatagram.WriteData(payload, 1, 2, 3);
                payload[bit / 8] ^= (byte)(1 << (bit % 8));

                Assert.False(TestDatagram.TryRead(payload, out TestDatagram datagram), $"bit {bit}");
                Assert.Equal(bit < 32 ? TestDatagramKind.Other : TestDatagramKind.Unknown, datagram.Kind);
            }
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

    private static uint BitwiseCrc32C(ReadOnlySpan<byte> bytes)
    {
        uint state = uint.MaxValue;
        foreach (byte value in bytes)
        {
            state ^= value;
            for (int bit = 0; bit < 8; bit++) state = (state >> 1) ^ ((state & 1) * 0x82F63B78);
        }

        return ~state;
    }

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
