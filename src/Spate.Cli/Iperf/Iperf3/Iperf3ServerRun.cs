using System.Globalization;
using System.Net;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.Cli.Iperf.Iperf3.Text;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Iperf.Iperf3;

/// <summary>The server of <c>spate iperf3 -s</c>, which numbers its tests as iperf3 does.</summary>
internal sealed class Iperf3ServerRun
{
    private const string Rule = "-----------------------------------------------------------";

    private readonly Iperf3RunOptions _settings;
    private readonly Iperf3Output _output;
    private readonly Streams _streams;
    private readonly bool _isParallel;
    private readonly int _port;
    private readonly CancellationToken _stop;
    private int _tests;

    private Iperf3ServerRun(
        Iperf3RunOptions settings, Iperf3Output output, Streams streams, int port, CancellationToken stop)
    {
        _settings = settings;
        _output = output;
        _streams = streams;
        _port = port;
        _stop = stop;
        _isParallel = settings.Server!.ParallelTests > 1;
    }

    public static void Run(Iperf3RunOptions settings, Iperf3Output output, Streams streams, CancellationToken stop)
    {
        Iperf3WarmUp.Run(new Iperf3Parameters(), settings.Server!.Transport);
        using Iperf3Server server = Iperf3Server.Open(settings.Server!);
        IPEndPoint local = server.LocalEndPoint;
        var service = new Iperf3ServerRun(settings, output, streams, local.Port, stop);
        service.WriteListening(1);
        server.Run(service.NewObserver, streams.Notice, stop);
    }

    private IIperf3Observer NewObserver()
    {
        int number = Interlocked.Increment(ref _tests);
        string prefix = _isParallel ? string.Create(CultureInfo.InvariantCulture, $"test {number}: ") : "";
        IIperf3Observer observer = Iperf3Observers.Create(_settings, _output.WriteLine, _streams.Time, prefix);
        return new TestObserver(observer, this, number);
    }

    // Tests that run at once would each announce a next one.
    private void End(int number)
    {
        bool isLast = _settings.Server!.EndsAfterOne || _stop.IsCancellationRequested;
        if (!_isParallel && !isLast) WriteListening(number + 1);
    }

    private void WriteListening(int number)
    {
        if (_settings.Output.IsJson || _settings.Output.IsJsonStream) return;

        var lines = new Iperf3Lines(_output.WriteLine, _settings.Output, _streams.Time);
        if (number == 1 && _settings.Output.IsVerbose)
        {
            lines.Add(ToolVersion.Line);
            lines.Add(SystemText.Line);
        }

        lines.Add(Rule);
        lines.Add(string.Create(CultureInfo.InvariantCulture, $"Server listening on {_port} (test #{number})"));
        lines.Add(Rule);
    }

    private sealed class TestObserver(IIperf3Observer inner, Iperf3ServerRun service, int number) : IIperf3Observer
    {
        public string? OutputText => inner.OutputText;

        public string? OutputJson => inner.OutputJson;

        public void Start(Iperf3Test test) => inner.Start(test);

        public void Report(Iperf3Interval interval) => inner.Report(interval);

        public void Finish(Iperf3Outcome outcome)
        {
            inner.Finish(outcome);
            service.End(number);
        }

        public void Fail(string message)
        {
            inner.Fail(message);
            service._streams.Notice(message);
            service.End(number);
        }
    }
}
