using System.Buffers;
using System.Globalization;
using System.Text;

namespace StatsdCollector;

/// <summary>Counters, gauges and timers by name. Strangers can fill neither the memory nor the terminal.</summary>
internal sealed class MetricTable
{
    private const int MaxMetrics = 10_000;
    private const int MaxNameLength = 200;
    private const int MaxFields = 4;
    private const NumberStyles Number =
        NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;

    private static readonly SearchValues<char> NameLetters =
        SearchValues.Create("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/");

    private readonly Lock _lock = new();
    private readonly SortedDictionary<string, Metric> _metrics = new(StringComparer.Ordinal);
    private long _lines;
    private long _refused;

    /// <summary>Adds the lines of a datagram: <c>name:value|c</c>, <c>|g</c> or <c>|ms</c>, one a line.</summary>
    public void Add(ReadOnlySpan<byte> payload)
    {
        lock (_lock)
        {
            foreach (ReadOnlySpan<char> line in Encoding.ASCII.GetString(payload).AsSpan().EnumerateLines())
            {
                if (line.IsEmpty) continue;
                if (TryAddLine(line.ToString())) _lines++;
                else _refused++;
            }
        }
    }

    /// <summary>Counts a datagram without reading its lines.</summary>
    public void Refuse()
    {
        lock (_lock) _refused++;
    }

    /// <summary>
    /// The metrics since the last call. Gauges stay until nobody sets them any more, everything else begins again.
    /// </summary>
    public string TakeText(long dropped)
    {
        StringBuilder text = new();
        lock (_lock)
        {
            foreach ((string key, Metric metric) in _metrics.ToArray())
            {
                metric.Write(text, key);
                if (metric.IsOver(key)) _metrics.Remove(key);
            }

            text.AppendLine($"{_lines} lines, {_refused} refused; {dropped} datagrams dropped so far");
            (_lines, _refused) = (0, 0);
        }

        return text.ToString();
    }

    private bool TryAddLine(string line)
    {
        int colon = line.IndexOf(':', StringComparison.Ordinal);
        if (colon is < 1 or > MaxNameLength || line.AsSpan(0, colon).ContainsAnyExcept(NameLetters)) return false;
        string[] fields = line[(colon + 1)..].Split('|', MaxFields);
        if (fields.Length < 2 || fields[1] is not ("c" or "g" or "ms")) return false;
        if (!TryReadNumber(fields[0], out double value)) return false;

        // After the type there may be "@0.1", one line of ten that were sent, and tags, which are not kept.
        double rate = 1;
        bool hasRate = fields.Length > 2 && fields[2].StartsWith('@');
        if (hasRate && !(TryReadNumber(fields[2][1..], out rate) && rate is > 0.000_001 and <= 1)) return false;

        string key = $"{fields[1]} {line[..colon]}";
        if (!_metrics.TryGetValue(key, out Metric? metric))
        {
            if (_metrics.Count == MaxMetrics) return false;
            _metrics.Add(key, metric = new Metric());
        }

        metric.Add(value, rate, replaces: key[0] == 'g' && fields[0][0] is not ('+' or '-'));
        return true;
    }

    private static bool TryReadNumber(string text, out double number) =>
        double.TryParse(text, Number, CultureInfo.InvariantCulture, out number) && double.IsFinite(number);
}

/// <summary>What was added up of one name.</summary>
internal sealed class Metric
{
    // A gauge that stayed for ever would keep its place from others, and strangers can name one for every place.
    private const int MaxQuietReports = 30;

    private double _count;
    private double _sum;
    private double _weighted;
    private double _smallest = double.MaxValue;
    private double _largest = double.MinValue;
    private int _quietReports;

    public void Add(double value, double rate, bool replaces)
    {
        _quietReports = 0;
        _count += 1 / rate;
        _sum = replaces ? value : _sum + value;
        _weighted += value / rate;
        _smallest = Math.Min(_smallest, value);
        _largest = Math.Max(_largest, value);
    }

    /// <summary>Whether a metric that was just reported has had its last report, unless it comes again.</summary>
    public bool IsOver(string key) => key[0] != 'g' || ++_quietReports == MaxQuietReports;

    public void Write(StringBuilder text, string key) => text.AppendLine(key[0] switch
    {
        'c' => string.Create(CultureInfo.InvariantCulture, $"counter {key[2..]} {_weighted:0.###}"),
        'g' => string.Create(CultureInfo.InvariantCulture, $"gauge {key[2..]} {_sum:0.###}"),
        _ => string.Create(
            CultureInfo.InvariantCulture,
            $"timer {key[3..]} {_count:0} values, least {_smallest:0.###}, mean {_weighted / _count:0.###}, "
            + $"most {_largest:0.###} ms"),
    });
}
