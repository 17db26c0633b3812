using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>One client's test at the server, from the beginning of its data to its results. One thread.</summary>
/// <param name="links">The streams, whose sockets are owned from now on.</param>
internal sealed class RunningTest(
    ClientLink client,
    Iperf3Parameters parameters,
    StreamLink[] links,
    Iperf3ServerOptions options,
    TestSlots.Ticket ticket,
    IIperf3Observer observer,
    TimeProvider time)
{
    // Long enough for the datagrams that the end of the test overtook, and for a queue of a full receiver.
    private static readonly TimeSpan MinDrain = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan MaxDrain = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan StepTime = TimeSpan.FromMilliseconds(20);

    private readonly ControlStream _control = client.Control;
    private bool _isFinished;

    public void Run(string cookie)
    {
        try
        {
            observer.Start(StreamLink.Begin(isClient: false, parameters, cookie, _control, links, time));
            Move();
        }
        finally
        {
            Array.ForEach(links, static link => link.Socket.Dispose());
        }
    }

    // A client that leaves without its results has ended its test all the same.
    public void Fail(Exception fault)
    {
        if (!_isFinished) observer.Fail(fault.Message);
    }

    private void Move()
    {
        var settings = new Iperf3TrafficOptions(
            parameters.ServerCpu is { } cpu ? [cpu] : options.Cpus,
            options.Interval,
            parameters.TransportOf(options.Transport),
            options.PlacesBesidePeer);
        using var run = new DataRun(parameters, isClient: false, links, settings, observer, time);

        // The time of an iperf3 begins with the first, and its data with the second: the threads here run by then, and
        // it sends at once what a pause between the two has kept back.
        _control.SendState(Iperf3State.TestStart);
        _control.SendState(Iperf3State.TestRunning);
        run.Begin();
        var watchdog = new TestWatchdog(run, parameters, options, time);
        while (!client.IsEnded(run.TimeToTick(end: null, StepTime)))
        {
            run.Tick();
            if (watchdog.Fault() is not var (code, text)) continue;

            MakeRoom();
            throw client.Refuse(code, text);
        }

        Finish(run);
    }

    private void Finish(DataRun run)
    {
        run.End();
        Drain(run);
        run.EndIntervals();
        _control.SendState(Iperf3State.ExchangeResults);
        byte[] json = _control.ReadJson(ResultsJson.MaxBytes, ControlStream.MessageTime);
        if (!ResultsJson.TryRead(json, out Iperf3Results? other, out string? error)) throw new Iperf3Exception(error);

        foreach (Iperf3StreamResult stream in other.Streams) run.Traffic.Announce(stream.Id, stream.Packets);
        TestEndReport report = run.Report();
        Iperf3Results own = run.Results(report);
        Iperf3Outcome outcome = new OutcomeMaker(parameters, isClient: false, links).Make(own, other, report);
        _isFinished = true;
        observer.Finish(outcome);
        _control.SendJson(ResultsJson.Write(own with
        {
            ServerText = parameters.GetServerOutput ? observer.OutputText : null,
            ServerJson = parameters.GetServerOutput ? observer.OutputJson : null,
        }));
        MakeRoom();
        _control.SendState(Iperf3State.DisplayResults);
        _ = _control.TryReadState(ControlStream.MessageTime, out _);
    }

    // Before the client hears that it is done: a client that follows at once, as in a script, must not be told that the
    // server is busy.
    private void MakeRoom()
    {
        if (!options.EndsAfterOne) ticket.Dispose();
    }

    private void Drain(DataRun run)
    {
        long startTicks = time.GetTimestamp();
        long arrived = -1;
        while (time.GetElapsedTime(startTicks) is var drained && drained < MaxDrain)
        {
            long now = run.Traffic.Received.Received;
            if (run.Traffic.IsSendingOver && drained >= MinDrain && now == arrived) return;

            arrived = now;
            run.Tick();
            Thread.Sleep(StepTime);
        }
    }
}
