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
    /// <param name="text">The whole file.</param>
    /// <param name="protocol">What the lines begin with, for example <c>Udp:</c>.</param>
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

    /// <summary>The value under a name; null for none.</summary>
    public long? this[ReadOnlySpan<byte> name] =>
        FileText.Number(FileText.WordAt(_values, FileText.IndexOfWord(_names, name)));
}
