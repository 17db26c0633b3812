using System.Text;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Measurement.Reports;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>Begins the lines of a test, makes strangers' text safe, and keeps them for a client that asked.</summary>
/// <param name="prefix">What every line begins with besides, to tell tests apart; empty for nothing.</param>
internal sealed class Iperf3Lines(
    Action<string> write, Iperf3OutputOptions options, TimeProvider time, string prefix = "")
{
    // A result that holds the lines must stay below 1 MiB, and each character may take six bytes in it.
    private const int MaxKeptCharacters = 128 * 1024;

    private const int MaxLineLength = 1000;

    private readonly StringBuilder _kept = new();
    private bool _isFull;

    /// <summary>The lines so far; of a long output, the first ones.</summary>
    public string Kept => _kept.ToString();

    public void Add(string line)
    {
        string clean = PrintableText.ForTerminal(line, MaxLineLength);
        string whole = Start() + clean;
        write(whole);
        Keep(clean);
    }

    private string Start()
    {
        string start = options.TimestampFormat is { } format
            ? PrintableText.ForTerminal(TimeText.Write(format, time.GetLocalNow()))
            : "";
        if (options.Title.Length > 0) start += PrintableText.ForTerminal(options.Title) + ":  ";

        return start + prefix;
    }

    private void Keep(string line)
    {
        _isFull |= _kept.Length + line.Length >= MaxKeptCharacters;
        if (!_isFull) _kept.Append(line).Append('\n');
    }
}
