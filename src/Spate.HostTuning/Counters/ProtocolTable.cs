using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Counters;

/// <summary>
/// The counters of one protocol in <c>/proc/net/snmp</c> or <c>/proc/net/netstat</c>: a line of names and a line of
/// values, which both begin with the protocol. Which names there are differs between kernels.
/// </summary>
internal readonly ref struct ProtocolTable
{
    private readonly ReadOnlySpan<byte> _names;
    private readonly ReadOnlySpan<byte> _values;

    /// <summary>Finds the lines; a table that is missing has no counters.</summary>
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
