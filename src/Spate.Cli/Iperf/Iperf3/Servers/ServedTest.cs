using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>One client's connection at the server, from its cookie to its results, on a thread of its own.</summary>
internal sealed class ServedTest(
    ControlStream control,
    Iperf3ServerOptions options,
    UdpAcceptor acceptor,
    TestSlots slots,
    Func<IIperfObserver> newObserver,
    TimeProvider time,
    CancellationToken stop)
{
    private static readonly TimeSpan StepTime = TimeSpan.FromMilliseconds(20);

    // A client that asks for no stream for so long gives up its turn, where another of its address waits for it.
    private static readonly TimeSpan TurnTime = TimeSpan.FromSeconds(3);

    // However many streams it has: an address that others share with it is theirs too.
    private static readonly TimeSpan MaxTurnTime = TimeSpan.FromSeconds(30);

    private readonly ClientLink _client = new(control, time, stop);
    private RunningTest? _test;

    public bool HasBegun => _test is not null;

    /// <summary>Runs the test to its end; calls back when the client runs or waits for its turn.</summary>
    /// <exception cref="Iperf3Exception">The client was told, if it could be.</exception>
    public void Run(Action onAdmitted)
    {
        try
        {
            string cookie = control.ReadCookie(ControlStream.MessageTime);
            control.SendState(Iperf3State.ParameterExchange);
            Iperf3Parameters parameters = ReadParameters();
            using var waiter = new StreamWaiter(
                UdpAddress.FromIPAddress(control.Remote.Address),
                parameters,
                PeerPort.Of(parameters.TransportOf(options.Transport).ToSocketOptions()));
            Join(waiter);
            using TestSlots.Ticket ticket = slots.TryEnter() ?? throw _client.RefuseBusy();
            onAdmitted();
            WaitForTurn(ticket, waiter);
            IIperfObserver observer = newObserver();
            _test = new RunningTest(_client, parameters, waiter.TakeLinks(), options, ticket, observer, time);
            _test.Run(cookie);
        }
        catch (Iperf3Exception fault)
        {
            _test?.Fail(fault);
            throw;
        }
        catch (Exception fault)
        {
            // An observer that has heard of the beginning hears of the end, whatever it was.
            _test?.Fail(fault);
            control.SendError(Iperf3Error.StreamRead, 0);
            throw new Iperf3Exception(fault.Message, fault);
        }
    }

    private Iperf3Parameters ReadParameters()
    {
        byte[] json = control.ReadJson(ParameterJson.MaxBytes, ControlStream.MessageTime);
        if (!ParameterJson.TryRead(json, out Iperf3Parameters? parameters, out int code, out string? error))
        {
            throw _client.Refuse(code, error);
        }

        if (ParameterLimits.FindFault(parameters, options) is var (limit, text)) throw _client.Refuse(limit, text);

        return parameters with
        {
            LengthBytes = parameters.LengthBytes > 0 ? parameters.LengthBytes : Iperf3Parameters.DefaultLengthBytes,
        };
    }

    private void Join(StreamWaiter waiter)
    {
        long startTicks = time.GetTimestamp();
        while (!acceptor.TryEnter(waiter))
        {
            _client.Step(StepTime);
            _client.RefuseAfter(MaxTurnTime, startTicks, "its turn to open streams");
        }

        try
        {
            control.SendState(Iperf3State.CreateStreams);
            startTicks = time.GetTimestamp();
            long joinedTicks = startTicks;
            int count = 0;
            while (!waiter.Wait(StepTime))
            {
                _client.Step(TimeSpan.Zero);
                if (waiter.Count != count) (count, joinedTicks) = (waiter.Count, time.GetTimestamp());
                TimeSpan longest = waiter.HasNext ? TurnTime : ControlStream.MessageTime;
                _client.RefuseAfter(longest, joinedTicks, "its next stream");
                if (waiter.HasNext) _client.RefuseAfter(MaxTurnTime, startTicks, "its last stream");
            }
        }
        finally
        {
            acceptor.Leave(waiter);
        }
    }

    private void WaitForTurn(TestSlots.Ticket ticket, StreamWaiter waiter)
    {
        while (!ticket.TryRun())
        {
            _client.Step(StepTime);
            waiter.AnswerAgain();
        }
    }
}

/// <summary>One client's test at the server, from the beginning of its data to its results. One thread.</summary>
/// <param name="links">The streams, whose sockets are owned from now on.</param>
internal sealed class RunningTest(
    ClientLink client,
    Iperf3Parameters parameters,
    StreamLink[] links,
    Iperf3ServerOptions options,
    TestSlots.Ticket ticket,
    IIperfObserver observer,
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
            observer.Tell(StreamLink.Begin(isClient: false, parameters, cookie, _control, links, time));
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
        if (!_isFinished) observer.Tell(new IperfNotice(fault.Message));
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
        observer.Tell(outcome);
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

/// <summary>The control connection of one client, with what the server tells it when it gives up. One thread.</summary>
internal sealed class ClientLink(ControlStream control, TimeProvider time, CancellationToken stop)
{
    public ControlStream Control { get; } = control;

    /// <summary>Waits for a moment; throws if the client has left or the server is stopped.</summary>
    public void Step(TimeSpan wait)
    {
        if (IsEnded(wait)) throw new Iperf3Exception($"{Control.Remote} ended its test before it began");
    }

    public void RefuseAfter(TimeSpan longest, long startTicks, string missing)
    {
        if (time.GetElapsedTime(startTicks) <= longest) return;

        throw Refuse(Iperf3Error.StreamAccept, $"{missing} did not come within {longest.TotalSeconds:0} s");
    }

    /// <summary>Whether the client has ended its data; throws as <see cref="Step"/>, or for another message.</summary>
    public bool IsEnded(TimeSpan wait)
    {
        if (stop.IsCancellationRequested)
        {
            Control.SendState(Iperf3State.ServerTerminate);
            throw new Iperf3Exception("the server was stopped");
        }

        if (!Control.TryReadState(wait, out Iperf3State state)) return false;

        return state switch
        {
            Iperf3State.TestEnd => true,
            Iperf3State.ClientTerminate => throw new Iperf3Exception("the client has terminated the test"),
            _ => throw Refuse(Iperf3Error.ReceiveParameters, $"a message {(sbyte)state} that does not belong here"),
        };
    }

    public Iperf3Exception Refuse(int code, string text)
    {
        Control.SendError(code, 0);
        return new Iperf3Exception($"refused {Control.Remote}: {text}");
    }

    public Iperf3Exception RefuseBusy()
    {
        Control.SendState(Iperf3State.AccessDenied);
        return new Iperf3Exception($"refused {Control.Remote}: a test runs already");
    }
}

/// <summary>What a server does not let a running test do. One thread.</summary>
internal sealed class TestWatchdog(
    DataRun run, Iperf3Parameters parameters, Iperf3ServerOptions options, TimeProvider time)
{
    private const int BitsPerByte = 8;

    // iperf3's server gives up so long after the end that was agreed on (iperf_server_api.c).
    private static readonly TimeSpan SpareTime = TimeSpan.FromSeconds(40);

    private readonly Queue<(TimeSpan At, long Bytes)> _course = new();
    private readonly SilenceWatch _silence = new(run.Traffic, options.ReceiveTimeout, time);

    /// <summary>What the client is told; null while all is well.</summary>
    public (int Code, string Text)? Fault()
    {
        if (parameters.Seconds > 0
            && run.Elapsed > TimeSpan.FromSeconds(parameters.OmitSeconds + parameters.Seconds) + SpareTime)
        {
            return (Iperf3Error.DurationExpired, "the client has not ended its test in time");
        }

        if (_silence.IsSilent())
        {
            return (Iperf3Error.NoData, $"no datagram came for {options.ReceiveTimeout.TotalSeconds:0.###} s");
        }

        return options.MaxBitsPerSecond > 0 && Rate() > options.MaxBitsPerSecond
            ? (Iperf3Error.TotalRate, $"the rate is above the limit of {options.MaxBitsPerSecond} bit/s")
            : null;
    }

    /// <summary>Payload bits a second over the time of the limit; 0 until that time has passed once.</summary>
    private double Rate()
    {
        TimeSpan now = run.Elapsed;
        long bytes = run.Counts.Sum(static count => count.All.Bytes);
        _course.Enqueue((now, bytes));
        while (_course.Count > 2 && now - _course.ElementAt(1).At >= options.RateTime) _ = _course.Dequeue();
        (TimeSpan at, long then) = _course.Peek();
        return now - at < options.RateTime
            ? 0
            : BitsPerByte * Statistics.Ratio(bytes - then, (now - at).TotalSeconds);
    }
}

/// <summary>What a server does not let a client ask for.</summary>
internal static class ParameterLimits
{
    /// <summary>What the client is told; null where all is well.</summary>
    public static (int Code, string Text)? FindFault(Iperf3Parameters asked, Iperf3ServerOptions options)
    {
        double bitsPerSecond = (double)asked.BitsPerSecond * asked.AllStreamCount;
        if (options.MaxBitsPerSecond > 0 && bitsPerSecond > options.MaxBitsPerSecond)
        {
            return (
                Iperf3Error.TotalRate,
                $"{bitsPerSecond} bit/s were asked for, and the limit is {options.MaxBitsPerSecond}");
        }

        if (options.MaxSeconds > 0 && (asked.Seconds == 0 || asked.Seconds + asked.OmitSeconds > options.MaxSeconds))
        {
            return (
                Iperf3Error.MaxDuration,
                asked.Seconds == 0
                    ? $"a test without a time was asked for, and the limit is {options.MaxSeconds} s"
                    : $"{asked.Seconds} s were asked for, and the limit is {options.MaxSeconds} s");
        }

        return asked.ServerCpu is { } cpu && !CpuFacts.Read().UsableNumbers.Contains(cpu)
            ? (Iperf3Error.Affinity, $"CPU {cpu} was asked for, and it is not to be had here")
            : null;
    }
}
