using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Counters;

/// <summary>In <c>/proc/net/snmp</c> or <c>netstat</c>: a line of names, which differ by kernel, and values.</summary>
internal readonly ref struct ProtocolTable
{
    private readonly ReadOnlySpan<byte> _names;
    private readonly ReadOnlySpan<byte> _values;

    public ProtocolTable(ReadOnlySpan<byte> text, ReadOnlySpan<byte> protocol)
    {
        foreach (Range range in text.Split((byte)'\n'))
        {
            ReadOnlySpan<byte> line = text[range];
            if (!line.StartsWith(protocol)) continue;

            if (_names.IsEmpty)
            {
                _names = line;
            }
            else
            {
                _values = line;
                break;
            }
        }
    }

    public long? this[ReadOnlySpan<byte> name] =>
        FileText.Number(FileText.WordAt(_values, FileText.IndexOfWord(_names, name)));
}
