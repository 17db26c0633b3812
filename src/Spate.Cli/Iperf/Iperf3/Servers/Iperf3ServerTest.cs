using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>
/// One client's test at the server, on a thread of its own: from its cookie by its parameters, its streams and its turn
/// to the data and the results, or to the refusal that the client gets.
/// </summary>
internal sealed class Iperf3ServerTest(
    ServerClient client,
    ServerClients clients,
    Iperf3ServerOptions options,
    UdpAcceptor acceptor,
    Func<IIperfObserver> newObserver,
    TimeProvider time,
    CancellationToken stop)
{
    private const int BitsPerByte = 8;

    private static readonly TimeSpan StepTime = TimeSpan.FromMilliseconds(20);

    // A client that asks for no stream for so long gives up its turn, where another of its address waits for it.
    private static readonly TimeSpan TurnTime = TimeSpan.FromSeconds(3);

    // However many streams it has: an address that others share with it is theirs too.
    private static readonly TimeSpan MaxTurnTime = TimeSpan.FromSeconds(30);

    // iperf3's server gives up so long after the end that was agreed on (iperf_server_api.c).
    private static readonly TimeSpan SpareTime = TimeSpan.FromSeconds(40);

    // Long enough for the datagrams that the end of the test overtook, and for a queue of a full receiver.
    private static readonly TimeSpan MinDrain = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan MaxDrain = TimeSpan.FromMilliseconds(200);

    private readonly ControlStream _control = client.Control;
    private readonly Queue<(TimeSpan At, long Bytes)> _course = new();
    private Iperf3Parameters _parameters = new();
    private IIperfObserver? _observer;
    private bool _isFinished;

    public bool HasBegun => _observer is not null;

    /// <exception cref="Iperf3Exception">The client was told, if it could be.</exception>
    public void Run()
    {
        try
        {
            string cookie = _control.ReadCookie(ControlStream.MessageTime);
            _control.SendState(Iperf3State.ParameterExchange);
            _parameters = ReadParameters();
            using var waiter = new StreamWaiter(
                UdpAddress.FromIPAddress(_control.Remote.Address),
                _parameters,
                PeerPort.Of(_parameters.TransportOf(options.Transport).ToSocketOptions()));
            OpenStreams(waiter);
            if (!clients.TryEnter(client)) throw RefuseBusy();

            try
            {
                TakeTurn(waiter, cookie);
            }
            finally
            {
                clients.MakeRoom(client);
            }
        }
        catch (Iperf3Exception fault)
        {
            Fail(fault);
            throw;
        }
        catch (Exception fault)
        {
            // An observer that has heard of the beginning hears of the end, whatever it was.
            Fail(fault);
            _control.SendError(Iperf3Error.StreamRead, 0);
            throw new Iperf3Exception(fault.Message, fault);
        }
    }

    public Iperf3Exception RefuseBusy() => new(ServerClients.SayBusy(_control));

    // A client that leaves without its results has ended its test all the same.
    private void Fail(Exception fault)
    {
        if (!_isFinished) _observer?.Tell(new IperfMessage(fault.Message));
    }

    private Iperf3Exception Refuse(int code, string text)
    {
        _control.SendError(code, 0);
        return new Iperf3Exception($"refused {_control.Remote}: {text}");
    }

    private void RefuseAfter(TimeSpan longest, long startTicks, string missing)
    {
        if (time.GetElapsedTime(startTicks) <= longest) return;

        throw Refuse(Iperf3Error.StreamAccept, $"{missing} did not arrive within {longest.TotalSeconds:0} s");
    }

    /// <summary>Waits for a moment; throws if the client has left or the server is stopped.</summary>
    private void Step(TimeSpan wait)
    {
        if (IsEnded(wait)) throw new Iperf3Exception($"{_control.Remote} ended its test before it began");
    }

    /// <summary>Whether the client has ended its data; throws as <see cref="Step"/>, or for another message.</summary>
    private bool IsEnded(TimeSpan wait)
    {
        if (stop.IsCancellationRequested)
        {
            _control.SendState(Iperf3State.ServerTerminate);
            throw new Iperf3Exception("the server was stopped");
        }

        if (!_control.TryReadState(wait, out Iperf3State state)) return false;

        return state switch
        {
            Iperf3State.TestEnd => true,
            Iperf3State.ClientTerminate => throw new Iperf3Exception("the client has terminated the test"),
            _ => throw Refuse(Iperf3Error.ReceiveParameters, $"an unexpected message {(sbyte)state}"),
        };
    }

    private Iperf3Parameters ReadParameters()
    {
        byte[] json = _control.ReadJson(ParameterJson.MaxBytes, ControlStream.MessageTime);
        if (!ParameterJson.TryRead(json, out Iperf3Parameters? parameters, out int code, out string? error))
        {
            throw Refuse(code, error);
        }

        if (FindFault(parameters) is var (limit, text)) throw Refuse(limit, text);

        return parameters with
        {
            LengthBytes = parameters.LengthBytes > 0 ? parameters.LengthBytes : Iperf3Parameters.DefaultLengthBytes,
        };
    }

    /// <summary>A request that the server does not allow, in words for the client; null if there is none.</summary>
    private (int Code, string Text)? FindFault(Iperf3Parameters asked)
    {
        double bitsPerSecond = (double)asked.BitsPerSecond * asked.AllStreamCount;
        if (options.MaxBitsPerSecond > 0 && bitsPerSecond > options.MaxBitsPerSecond)
        {
            return (
                Iperf3Error.TotalRate,
                $"{bitsPerSecond} bit/s were requested, but the limit is {options.MaxBitsPerSecond}");
        }

        if (options.MaxSeconds > 0 && (asked.Seconds == 0 || asked.Seconds + asked.OmitSeconds > options.MaxSeconds))
        {
            string wish = asked.Seconds == 0 ? "a test without a time was" : $"{asked.Seconds} s were";
            return (Iperf3Error.MaxDuration, $"{wish} requested, but the limit is {options.MaxSeconds} s");
        }

        return asked.ServerCpu is { } cpu && !CpuFacts.Read().UsableNumbers.Contains(cpu)
            ? (Iperf3Error.Affinity, $"CPU {cpu} was requested, but is unavailable here")
            : null;
    }

    private void OpenStreams(StreamWaiter waiter)
    {
        long startTicks = time.GetTimestamp();
        while (!acceptor.TryEnter(waiter))
        {
            Step(StepTime);
            RefuseAfter(MaxTurnTime, startTicks, "its turn to open streams");
        }

        try
        {
            _control.SendState(Iperf3State.CreateStreams);
            startTicks = time.GetTimestamp();
            long joinedTicks = startTicks;
            int count = 0;
            while (!waiter.Wait(StepTime))
            {
                Step(TimeSpan.Zero);
                if (waiter.Count != count) (count, joinedTicks) = (waiter.Count, time.GetTimestamp());
                TimeSpan longest = waiter.HasNext ? TurnTime : ControlStream.MessageTime;
                RefuseAfter(longest, joinedTicks, "its next stream");
                if (waiter.HasNext) RefuseAfter(MaxTurnTime, startTicks, "its last stream");
            }
        }
        finally
        {
            acceptor.Leave(waiter);
        }
    }

    private void TakeTurn(StreamWaiter waiter, string cookie)
    {
        while (!clients.TryRun(client))
        {
            Step(StepTime);
            waiter.AnswerAgain();
        }

        _observer = newObserver();
        StreamLink[] links = waiter.TakeLinks();
        try
        {
            _observer.Tell(StreamLink.Begin(isClient: false, _parameters, cookie, _control, links, time));
            Move(links, _observer);
        }
        finally
        {
            Array.ForEach(links, static link => link.Socket.Dispose());
        }
    }

    private void Move(StreamLink[] links, IIperfObserver observer)
    {
        Iperf3EndOptions settings = options with
        {
            Cpus = _parameters.ServerCpu is { } cpu ? [cpu] : options.Cpus,
            Transport = _parameters.TransportOf(options.Transport),
        };
        using var run = new DataRun(_parameters, isClient: false, links, settings, observer, time);

        // The time of an iperf3 begins with the first, and its data with the second: the threads here run by then, and
        // it sends at once what a pause between the two has kept back.
        _control.SendState(Iperf3State.TestStart);
        _control.SendState(Iperf3State.TestRunning);
        run.Begin();
        var silence = new SilenceWatch(run.Traffic, options.ReceiveTimeout, time);
        while (!IsEnded(run.TimeToTick(end: null, StepTime)))
        {
            run.Tick();
            if (FindFault(run, silence) is not var (code, text)) continue;

            MakeRoom();
            throw Refuse(code, text);
        }

        Finish(run, links, observer);
    }

    private void Finish(DataRun run, StreamLink[] links, IIperfObserver observer)
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
        Iperf3Outcome outcome = new OutcomeMaker(_parameters, isClient: false, links).Make(own, other, report);
        _isFinished = true;
        observer.Tell(outcome);
        _control.SendJson(ResultsJson.Write(own with
        {
            ServerText = _parameters.GetServerOutput ? observer.OutputText : null,
            ServerJson = _parameters.GetServerOutput ? observer.OutputJson : null,
        }));
        MakeRoom();
        _control.SendState(Iperf3State.DisplayResults);
        _ = _control.TryReadState(ControlStream.MessageTime, out _);
    }

    // Before the client hears that it is done: a client that follows at once, as in a script, must not be told that the
    // server is busy.
    private void MakeRoom()
    {
        if (!options.EndsAfterOne) clients.MakeRoom(client);
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

    /// <summary>The reason to end a running test, in words for the client; null while there is none.</summary>
    private (int Code, string Text)? FindFault(DataRun run, SilenceWatch silence)
    {
        if (run.Elapsed > _parameters.Duration + SpareTime)
        {
            return (Iperf3Error.DurationExpired, "the client has not ended its test in time");
        }

        if (silence.IsSilent())
        {
            return (Iperf3Error.NoData, $"no datagram arrived for {options.ReceiveTimeout.TotalSeconds:0.###} s");
        }

        return options.MaxBitsPerSecond > 0 && BitsPerSecond(run) > options.MaxBitsPerSecond
            ? (Iperf3Error.TotalRate, $"the rate is above the limit of {options.MaxBitsPerSecond} bit/s")
            : null;
    }

    /// <summary>Payload bits a second over the time of the limit; 0 until that time has passed once.</summary>
    private double BitsPerSecond(DataRun run)
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
