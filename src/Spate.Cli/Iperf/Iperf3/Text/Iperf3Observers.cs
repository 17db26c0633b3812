using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>Makes the observer that writes what the settings ask for.</summary>
internal static class Iperf3Observers
{
    /// <param name="prefix">What each line of text begins with, to tell tests apart; empty for nothing.</param>
    public static IIperf3Observer Create(
        Iperf3RunOptions settings, Action<string> write, TimeProvider time, string prefix = "")
    {
        Iperf3OutputOptions options = settings.Output;
        if (options.IsJson || options.IsJsonStream) return new Iperf3Json(settings, write);

        return new Iperf3Text(new Iperf3Lines(write, options, time, prefix), options, settings.Host);
    }
}
