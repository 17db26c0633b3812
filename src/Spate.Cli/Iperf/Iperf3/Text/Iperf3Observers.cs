using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>Makes the observer that writes what the settings ask for.</summary>
internal static class Iperf3Observers
{
    /// <summary>Makes the observer of one test.</summary>
    /// <param name="settings">The command line.</param>
    /// <param name="write">Writes a line, or a document of more than one.</param>
    /// <param name="time">The clock of the times before lines.</param>
    /// <param name="prefix">What each line of text begins with, to tell tests apart; empty for nothing.</param>
    public static IIperf3Observer Create(
        Iperf3RunOptions settings, Action<string> write, TimeProvider time, string prefix = "")
    {
        Iperf3OutputOptions options = settings.Output;
        if (options.IsJson || options.IsJsonStream) return new Iperf3Json(settings, write);

        return new Iperf3Text(new Iperf3Lines(write, options, time, prefix), options, settings.Host);
    }
}
