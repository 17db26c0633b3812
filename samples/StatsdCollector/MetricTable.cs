using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;

/// <summary>Counters, gauges and timers by name. Strangers can fill neither the memory nor the terminal.</summary>
internal sealed class MetricTable
{
    private const int MaxMetrics = 10_000;
    private const int MaxNameBytes = 200;

    private static readonly SearchValues<byte> NameBytes =
        SearchValues.Create("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/"u8);

    private readonly Lock _lock = new();
    private readonly SortedDictionary<string, Metric> _metrics = new(StringComparer.Ordinal);
    private long _lines;
    private long _refused;

    /// <summary>Adds the lines of a datagram: <c>name:value|c</c>, <c>|g</c> or <c>|ms</c>, one a line.</summary>
    public void Add(ReadOnlySpan<byte> payload)
    {
        lock (_lock)
        {
            foreach (Range range in payload.Split((byte)'\n'))
            {
                ReadOnlySpan<byte> line = payload[range].TrimEnd((byte)'\r');
                if (line.IsEmpty) continue;
                if (TryAddLine(line)) _lines++;
                else _refused++;
            }
        }
    }

    /// <summary>The metrics since the last call. Gauges stay, everything else begins again.</summary>
    public string TakeText(long dropped)
    {
        StringBuilder text = new();
        lock (_lock)
        {
            foreach ((string key, Metric metric) in _metrics) metric.Write(text, key);
            text.AppendLine($"{_lines} lines, {_refused} refused; {dropped} datagrams dropped so far");
            (_lines, _refused) = (0, 0);
            foreach (string key in _metrics.Keys.Where(static one => one[0] != 'g').ToArray()) _metrics.Remove(key);
        }

        return text.ToString();
    }

    private bool TryAddLine(ReadOnlySpan<byte> line)
    {
        int colon = line.IndexOf((byte)':');
        if (colon is < 1 or > MaxNameBytes || line[..colon].ContainsAnyExcept(NameBytes)) return false;
        ReadOnlySpan<byte> rest = line[(colon + 1)..];
        int bar = rest.IndexOf((byte)'|');
        if (bar < 1 || !TryReadNumber(rest[..bar], out double value)) return false;
        bool isChange = rest[0] is (byte)'+' or (byte)'-';
        rest = rest[(bar + 1)..];
        int end = rest.IndexOf((byte)'|');
        ReadOnlySpan<byte> type = end < 0 ? rest : rest[..end];
        char kind = type.SequenceEqual("c"u8) ? 'c' : type.SequenceEqual("g"u8) ? 'g'
            : type.SequenceEqual("ms"u8) ? 't' : '\0';
        if (kind == '\0' || !TryReadRate(end < 0 ? default : rest[(end + 1)..], out double rate)) return false;

        string key = $"{kind} {Encoding.ASCII.GetString(line[..colon])}";
        if (!_metrics.TryGetValue(key, out Metric? metric))
        {
            if (_metrics.Count == MaxMetrics) return false;
            _metrics.Add(key, metric = new Metric());
        }

        metric.Add(value, kind == 'g' ? 1 : rate, replaces: kind == 'g' && !isChange);
        return true;
    }

    // After the type there may be "@0.1", one line of ten that were sent, and tags, which are not kept.
    private static bool TryReadRate(ReadOnlySpan<byte> rest, out double rate)
    {
        rate = 1;
        if (rest.IsEmpty || rest[0] != '@') return true;
        int end = rest.IndexOf((byte)'|');
        return TryReadNumber(end < 0 ? rest[1..] : rest[1..end], out rate) && rate is > 0.000_001 and <= 1;
    }

    private static bool TryReadNumber(ReadOnlySpan<byte> text, out double number) =>
        Utf8Parser.TryParse(text, out number, out int used) && used == text.Length && double.IsFinite(number);
}

/// <summary>What was added up of one name.</summary>
internal sealed class Metric
{
    private double _count;
    private double _sum;
    private double _weighted;
    private double _smallest = double.MaxValue;
    private double _largest = double.MinValue;

    public void Add(double value, double rate, bool replaces)
    {
        _count += 1 / rate;
        _sum = replaces ? value : _sum + value;
        _weighted += value / rate;
        _smallest = Math.Min(_smallest, value);
        _largest = Math.Max(_largest, value);
    }

    public void Write(StringBuilder text, string key) => text.AppendLine(key[0] switch
    {
        'c' => string.Create(CultureInfo.InvariantCulture, $"counter {key[2..]} {_weighted:0.###}"),
        'g' => string.Create(CultureInfo.InvariantCulture, $"gauge {key[2..]} {_sum:0.###}"),
        _ => string.Create(
            CultureInfo.InvariantCulture,
            $"timer {key[2..]} {_count:0} values, least {_smallest:0.###}, mean {_weighted / _count:0.###}, "
            + $"most {_largest:0.###} ms"),
    });
}
