using System.Text;
using Spate.Gateway.Format;

namespace Spate.TestHelpers.Gateways;

/// <summary>Messages of a gateway, written as a gateway writes them.</summary>
internal static class MessageBytes
{
    public const long Epoch = 1_700_000_000_000_000_000;

    public static readonly UdpEndPoint Local = UdpEndPoint.Parse("192.0.2.1:514");
    public static readonly UdpEndPoint Peer = UdpEndPoint.Parse("198.51.100.7:40000");

    /// <summary>A message of empty datagrams.</summary>
    public static byte[] Records(
        ulong first, int count, string id = "gw", long epoch = Epoch, int shard = 0, int partition = 0)
    {
        byte[] body = new byte[count * FormatLimits.MinRecordBytes];
        for (int i = 0; i < count; i++)
        {
            Span<byte> record = body.AsSpan(i * FormatLimits.MinRecordBytes);
            _ = RecordWriter.TryWrite(record, Peer, default, 0, (uint)i, [], isTruncated: false);
        }

        return Message(
            PackKind.Records, PackFlags.None, first, (uint)count, epoch + 1, body, id, epoch, shard, partition);
    }

    /// <summary>An accounting message; its time tells accounting messages apart.</summary>
    public static byte[] AccountingTotals(
        ulong accepted,
        ulong committed,
        long time,
        DroppedRange[]? ranges = null,
        PackFlags flags = PackFlags.None,
        string id = "gw",
        long epoch = Epoch,
        int shard = 0,
        int partition = 0)
    {
        ranges ??= [];
        byte[] body = new byte[Spate.Gateway.Format.AccountingTotals.FixedBytes + (ranges.Length * DroppedRange.Bytes)];
        _ = new Spate.Gateway.Format.AccountingTotals { Committed = committed }.Write(body, ranges);
        return Message(
            PackKind.Accounting, flags, accepted, (uint)ranges.Length, epoch + time, body, id, epoch, shard, partition);
    }

    private static byte[] Message(
        PackKind kind,
        PackFlags flags,
        ulong first,
        uint count,
        long time,
        byte[] body,
        string id,
        long epoch,
        int shard,
        int partition)
    {
        byte[] idBytes = Encoding.UTF8.GetBytes(id);
        byte[] message = new byte[PackPrefix.BytesFor(idBytes, [Local]) + body.Length];
        var prefix = new PackPrefix
        {
            Kind = kind,
            Flags = flags,
            Shard = (ushort)shard,
            Partition = (ushort)partition,
            Epoch = epoch,
            FirstSequence = first,
            Count = count,
            BodyBytes = (uint)body.Length,
            FirstTime = time,
            LastTime = time,
        };
        int prefixBytes = prefix.Write(message, idBytes, [Local]);
        body.CopyTo(message, prefixBytes);
        return message;
    }
}
