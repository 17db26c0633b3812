using System.Diagnostics.CodeAnalysis;
using System.Text;
using Spate.Gateway.Format;

namespace Spate.Gateway.Reading;

/// <summary>
/// Takes the messages of one or several streams, visits their datagrams and notes what is left out. Nothing in a
/// message is believed before it was checked, and what is kept is bounded. One thread at a time.
/// </summary>
/// <param name="streamCount">The streams that are read.</param>
/// <param name="maxKeys">The keys that are told apart.</param>
/// <param name="visitsDuplicates">Whether datagrams that were read before are visited.</param>
/// <param name="visit">Called for each datagram; null to verify only.</param>
internal sealed class Verifier(int streamCount, int maxKeys, bool visitsDuplicates, GatewayRecordCallback? visit)
{
    /// <summary>Intervals of numbers that all keys together keep: 16 MiB.</summary>
    public const int MaxIntervals = 1 << 20;

    /// <summary>Dropped ranges that all keys together keep, to be listed: 2 MiB.</summary>
    public const int MaxGaps = 1 << 16;

    private readonly Dictionary<GatewayKey, KeyTrack> _tracks = [];
    private readonly IntervalBudget _numbers = new(MaxIntervals);
    private readonly IntervalBudget _gaps = new(MaxGaps);
    private readonly bool?[] _isWhole = new bool?[streamCount];

    private long _messages;
    private long _bytes;
    private long _foreign;
    private long _unreadable;
    private long _untracked;
    private string? _firstUnreadable;

    /// <summary>Takes a message. What the visit throws goes to the caller.</summary>
    /// <param name="stream">The index of the stream.</param>
    /// <param name="offset">The message's offset in it; of each stream in ascending order.</param>
    /// <param name="contentType">Its content type; null for none.</param>
    /// <param name="body">Its body.</param>
    public void Take(int stream, ulong offset, string? contentType, ReadOnlySpan<byte> body)
    {
        _messages++;
        _bytes += body.Length;

        // A stream that is read from its very first message has lost no key's beginning.
        _isWhole[stream] ??= offset == 0;
        if (!IsOurs(contentType))
        {
            _foreign++;
            return;
        }

        FormatFault fault = contentType.Equals(FormatLimits.ContentType, StringComparison.OrdinalIgnoreCase)
            ? Take(stream, offset, body)
            : FormatFault.Version;
        if (fault == FormatFault.None) return;
        _unreadable++;
        _firstUnreadable ??= $"offset {offset}: {FormatFaultText.Of(fault)}";
    }

    /// <summary>Retention has removed messages of a stream behind the last one that was taken.</summary>
    /// <param name="stream">The index of the stream.</param>
    public void Cut(int stream)
    {
        _isWhole[stream] = false;
        foreach (KeyTrack track in _tracks.Values)
        {
            if (track.Stream == stream) track.Cut();
        }
    }

    /// <summary>What was found so far.</summary>
    public GatewayFindings Findings()
    {
        var latest = new Dictionary<string, long>(StringComparer.Ordinal);
        foreach (GatewayKey key in _tracks.Keys)
        {
            long known = latest.GetValueOrDefault(key.GatewayId);
            latest[key.GatewayId] = Math.Max(known, key.EpochUnixNanoseconds);
        }

        return new GatewayFindings
        {
            Messages = _messages,
            Bytes = _bytes,
            MessagesForeign = _foreign,
            MessagesUnreadable = _unreadable,
            FirstUnreadable = _firstUnreadable,
            MessagesUntracked = _untracked,
            Keys =
            [
                .. _tracks.Values
                    .OrderBy(static track => track.Key.GatewayId, StringComparer.Ordinal)
                    .ThenBy(static track => track.Key.EpochUnixNanoseconds)
                    .ThenBy(static track => track.Key.ShardIndex)
                    .ThenBy(static track => track.Key.PartitionIndex)
                    .Select(track => KeyJudge.Judge(
                        track, latest[track.Key.GatewayId] > track.Key.EpochUnixNanoseconds)),
            ],
        };
    }

    private static bool IsOurs([NotNullWhen(true)] string? contentType) =>
        contentType is not null
        && contentType.StartsWith(FormatLimits.ContentTypeOfAnyVersion, StringComparison.OrdinalIgnoreCase)
        && (contentType.Length == FormatLimits.ContentTypeOfAnyVersion.Length
            || contentType[FormatLimits.ContentTypeOfAnyVersion.Length] == ';');

    private FormatFault Take(int stream, ulong offset, ReadOnlySpan<byte> body)
    {
        FormatFault fault = PackMessage.Read(body, out PackMessage message);
        if (fault != FormatFault.None) return fault;
        if (message.Kind == PackKind.Accounting)
        {
            fault = AccountingMessage.Read(message, out AccountingMessage accounting);
            if (fault == FormatFault.None) FindTrack(stream, message)?.AddAccountingMessage(accounting);
            return fault;
        }

        fault = RecordReader.FindFault(message);
        if (fault == FormatFault.None) Visit(message, FindTrack(stream, message), offset);
        return fault;
    }

    private KeyTrack? FindTrack(int stream, PackMessage message)
    {
        GatewayKey key = KeyOf(message);
        if (_tracks.TryGetValue(key, out KeyTrack? track)) return track;
        if (_tracks.Count == maxKeys)
        {
            _untracked++;
            return null;
        }

        bool isBegin = message.Kind == PackKind.Accounting && (message.Flags & PackFlags.Begin) != PackFlags.None;
        track = new KeyTrack(key, stream, isBegin || _isWhole[stream] == true, _numbers, _gaps);
        _tracks.Add(key, track);
        return track;
    }

    private void Visit(PackMessage message, KeyTrack? track, ulong offset)
    {
        ulong first = message.FirstSequence;
        ulong known = track?.Accounted.CountIn(first, first + message.Count) ?? 0;
        if (visit is not null && (visitsDuplicates || known < message.Count))
        {
            GatewayKey key = track?.Key ?? KeyOf(message);
            ulong sequence = first;
            foreach (RecordView record in new RecordReader(message))
            {
                // Messages are sent again as they were, so most are new as a whole or known as a whole.
                bool isDuplicate = known == message.Count || (known > 0 && track!.Accounted.Contains(sequence));
                if (visitsDuplicates || !isDuplicate)
                {
                    visit(new GatewayRecord(key, message, record, sequence, offset, isDuplicate));
                }

                sequence++;
            }
        }

        track?.AddRecords(first, message.Count);
    }

    private static GatewayKey KeyOf(PackMessage message) => new()
    {
        GatewayId = Encoding.UTF8.GetString(message.Id),
        EpochUnixNanoseconds = message.Epoch,
        ShardIndex = message.Shard,
        PartitionIndex = message.Partition,
    };
}
