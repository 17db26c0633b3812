using System.Buffers.Binary;
using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.TestHelpers.Gateways;

namespace Spate.Tests.Gateway.Format;

public sealed class AccountingMessageTests
{
    private static readonly DroppedRange[] Ranges =
        [new(10, 5, GatewayDropReason.WindowFull), new(90, 10, GatewayDropReason.Shutdown)];

    [Fact]
    public void Write_AccountingMessage_HasTheDocumentedBytes()
    {
        var message = new AccountingTotals
        {
            Committed = 1,
            DroppedWindowFull = 2,
            DroppedRefused = 3,
            DroppedOversized = 4,
            DroppedShutdown = 5,
            NotAllowed = 6,
            KernelDrops = 7,
            KernelDropUnit = UdpDropUnit.CoalescedBuffers,
        };
        byte[] body = new byte[112];
        Array.Fill(body, (byte)0xEE);

        Assert.Equal(112, message.Write(body, Ranges));

        Assert.Equal(
            "0100000000000000" + "0200000000000000" + "0300000000000000" + "0400000000000000" + "0500000000000000"
            + "0600000000000000" + "0700000000000000" + "0200000000000000"
            + "0A00000000000000" + "0500000000000000" + "0100000000000000"
            + "5A00000000000000" + "0A00000000000000" + "0400000000000000",
            Convert.ToHexString(body));
    }

    [Fact]
    public void Read_AccountingMessage_IsWhatWasWritten()
    {
        byte[] bytes = MessageBytes.AccountingTotals(100, 80, 9, Ranges, PackFlags.End);

        Assert.Equal(FormatFault.None, PackMessage.Read(bytes, out PackMessage message));
        Assert.Equal(FormatFault.None, AccountingMessage.Read(message, out AccountingMessage accounting));
        Assert.Equal(100UL, accounting.Accepted);
        Assert.Equal(80UL, accounting.Totals.Committed);
        Assert.Equal(PackFlags.End, message.Flags);
        Assert.Equal(Ranges, Enumerable.Range(0, 2).Select(i => MessageRange(bytes, i)));
    }

    [Theory]
    [InlineData(101UL, 1UL, 1)]
    [InlineData(100UL, 1UL, 1)]
    [InlineData(99UL, 2UL, 1)]
    [InlineData(0UL, 0UL, 1)]
    [InlineData(1UL, ulong.MaxValue, 1)]
    [InlineData(ulong.MaxValue, 2UL, 1)]
    [InlineData(0UL, 1UL, 0)]
    [InlineData(0UL, 1UL, 5)]
    [InlineData(0UL, 1UL, 255)]
    public void Read_RangeThatCannotBe_IsRefused(ulong first, ulong count, int reason) => Assert.Equal(
        FormatFault.AccountingTotals,
        Fault(MessageBytes.AccountingTotals(100, 0, 1, [new DroppedRange(first, count, (GatewayDropReason)reason)])));

    [Theory]
    [InlineData(0u)]
    [InlineData(1u)]
    [InlineData(3u)]
    [InlineData(4097u)]
    [InlineData(uint.MaxValue)]
    public void Read_AnotherCountThanRanges_IsRefused(uint count)
    {
        byte[] bytes = MessageBytes.AccountingTotals(100, 0, 1, Ranges);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(PrefixLayout.CountAt), count);

        Assert.Equal(FormatFault.AccountingTotals, Fault(bytes));
    }

    [Fact]
    public void Read_MoreCommittedThanAccepted_IsRefused() =>
        Assert.Equal(FormatFault.AccountingTotals, Fault(MessageBytes.AccountingTotals(100, 101, 1)));

    private static FormatFault Fault(byte[] bytes)
    {
        Assert.Equal(FormatFault.None, PackMessage.Read(bytes, out PackMessage message));
        return AccountingMessage.Read(message, out _);
    }

    private static DroppedRange MessageRange(byte[] bytes, int index)
    {
        _ = PackMessage.Read(bytes, out PackMessage message);
        _ = AccountingMessage.Read(message, out AccountingMessage accounting);
        return accounting.Range(index);
    }
}
