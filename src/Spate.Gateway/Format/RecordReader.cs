using System.Buffers.Binary;

namespace Spate.Gateway.Format;

/// <summary>
/// Walks the records of a message in place: <c>foreach (RecordView record in new RecordReader(message))</c>. Only for
/// messages in which <see cref="FindFault"/> has found nothing, so that a message is taken whole or not at all.
/// </summary>
internal ref struct RecordReader
{
    private ReadOnlySpan<byte> _rest;
    private ReadOnlySpan<byte> _current;

    /// <summary>Begins before the first record.</summary>
    /// <param name="message">A message with a checked prefix, of records.</param>
    public RecordReader(PackMessage message) => _rest = message.Body;

    /// <summary>The record that the last step came to.</summary>
    public readonly RecordView Current => new(_current);

    /// <summary>
    /// Checks every record. It ends at the first one that does not fit into what is left, so it takes as long as the
    /// message is long, whatever count it names.
    /// </summary>
    public static FormatFault FindFault(PackMessage message)
    {
        ReadOnlySpan<byte> rest = message.Body;
        for (uint left = message.Count; left > 0; left--)
        {
            if (rest.Length < FormatLimits.MinRecordBytes) return FormatFault.Record;
            var flags = (RecordFlags)rest[RecordView.FlagsAt];
            if ((flags & ~RecordFlags.Known) != RecordFlags.None) return FormatFault.Record;
            if ((flags & (RecordFlags.Scope | RecordFlags.IPv6)) == RecordFlags.Scope) return FormatFault.Record;
            if (rest[RecordView.LocalIndexAt] >= message.LocalEndPointCount) return FormatFault.Record;
            int bytes = BytesOf(rest);
            if (bytes > rest.Length) return FormatFault.Record;
            rest = rest[bytes..];
        }

        return rest.IsEmpty ? FormatFault.None : FormatFault.Rest;
    }

    public readonly RecordReader GetEnumerator() => this;

    /// <summary>Steps to the next record.</summary>
    public bool MoveNext()
    {
        if (_rest.IsEmpty) return false;
        int bytes = BytesOf(_rest);
        _current = _rest[..bytes];
        _rest = _rest[bytes..];
        return true;
    }

    private static int BytesOf(ReadOnlySpan<byte> record) =>
        RecordView.HeadBytes((RecordFlags)record[RecordView.FlagsAt]) + BinaryPrimitives.ReadUInt16LittleEndian(record);
}
