using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Clients;

/// <summary>One test at its client, over a control connection. One thread.</summary>
internal sealed class Iperf3ClientTest(
    ControlStream control,
    Iperf3ClientOptions options,
    IIperfObserver observer,
    TimeProvider time,
    CancellationToken stop)
{
    private const string Interrupted = "interrupted: figures up to this time";
    private const string CookieCharacters = "abcdefghijklmnopqrstuvwxyz234567";

    private static readonly TimeSpan StepTime = TimeSpan.FromMilliseconds(20);

    // Where an amount ends the test and this end counts what has arrived, the steps decide how much too much it is.
    private static readonly TimeSpan ShortStepTime = TimeSpan.FromMilliseconds(1);

    // Senders end by their own clock, which began a little earlier.
    private static readonly TimeSpan SendSpareTime = TimeSpan.FromMilliseconds(100);

    // A server that was told of the end counts nothing more: the last datagram of an amount is given time to arrive.
    private static readonly TimeSpan LastDatagramTime = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan DrainTime = TimeSpan.FromMilliseconds(100);

    // A server may drain, and its system may be busy; iperf3 itself would wait for ever.
    private static readonly TimeSpan ResultTime = TimeSpan.FromSeconds(30);

    // An iperf3 that opens another client's streams takes no connection for up to 30 s, nor does a spate from the same
    // address.
    private static readonly TimeSpan AgreeTime = TimeSpan.FromSeconds(40);

    private bool _isStarted;
    private bool _isInterrupted;

    public void Run()
    {
        string cookie = string.Create(
            ControlStream.CookieLength,
            SystemRandom.GetBytes(ControlStream.CookieLength),
            static (text, bytes) =>
            {
                for (int i = 0; i < text.Length; i++) text[i] = CookieCharacters[bytes[i] % CookieCharacters.Length];
            });
        control.SendCookie(cookie);
        Await(Iperf3State.ParameterExchange, AgreeTime);
        Iperf3Parameters parameters = Agree();
        control.SendJson(ParameterJson.Write(parameters));
        Await(Iperf3State.CreateStreams, AgreeTime);
        var dialer = new StreamDialer(parameters, options, control, time);
        StreamLink[] links = dialer.Dial(control.Remote, () => IsBegun(TimeSpan.Zero));
        try
        {
            while (!IsBegun(StepTime)) { }

            // As iperf3, whose server sends before this end has made its threads: what has queued up is of this time.
            long startTicks = time.GetTimestamp();

            // A slow terminal must not hold up the receiving: the server sends once it says that the test runs.
            observer.Tell(StreamLink.Begin(isClient: true, parameters, cookie, control, links, time));
            Await(Iperf3State.TestRunning, ControlStream.MessageTime);
            Move(parameters, links, startTicks);
        }
        finally
        {
            Array.ForEach(links, static link => link.Socket.Dispose());
        }
    }

    private Iperf3Parameters Agree()
    {
        int length = options.Parameters.LengthBytes;
        if (length == 0) length = control.ReadMaxSegmentBytes();
        if (length == 0) length = Iperf3Parameters.DefaultLengthBytes;
        return options.Parameters with
        {
            LengthBytes = Math.Clamp(length, Iperf3Parameters.MinLengthBytes, Iperf3Parameters.MaxLengthBytes),
        };
    }

    private void Move(Iperf3Parameters parameters, StreamLink[] links, long startTicks)
    {
        Iperf3EndOptions settings = options with { Transport = parameters.TransportOf(options.Transport) };
        using var run = new DataRun(parameters, isClient: true, links, settings, observer, time);
        run.Begin(startTicks);
        var silence = new SilenceWatch(run.Traffic, options.ReceiveTimeout, time);
        while (!IsOver(run, parameters, silence))
        {
            if (stop.IsCancellationRequested)
            {
                // A test without an end has no other one.
                _isInterrupted = parameters.EndsByAmount || parameters.Seconds > 0;
                break;
            }

            // An interval that is over at the end of the test is told of when all that counts has been sent.
            run.Tick();
            if (TryRead(StepOf(run, parameters), out Iperf3State state)) throw Unexpected(state);
        }

        run.End();
        while (!run.Traffic.IsSendingOver) _ = TryRead(ShortStepTime, out _);
        if (parameters.EndsByAmount) _ = TryRead(LastDatagramTime, out _);
        run.Traffic.StopReference();
        run.EndIntervals();
        control.SendState(Iperf3State.TestEnd);
        Finish(run, parameters, links);
    }

    /// <summary>Whether the data ends; throws an <see cref="Iperf3Exception"/> after too long a silence.</summary>
    private bool IsOver(DataRun run, Iperf3Parameters parameters, SilenceWatch silence)
    {
        if (run.Traffic.Sends && run.Traffic.IsSendingOver) return true;

        if (silence.IsSilent())
        {
            throw new Iperf3Exception($"no datagram arrived for {options.ReceiveTimeout.TotalSeconds:0.###} s: "
                + "check that firewalls allow UDP from the server");
        }

        if (!parameters.EndsByAmount)
        {
            return run.Elapsed >= parameters.Duration + (run.Traffic.Sends ? SendSpareTime : TimeSpan.Zero);
        }

        return !run.IsOmitting && ((bool[])[true, false]).Any(sends => parameters.Bytes > 0
            ? run.Streams(sends).Sum(static count => count.Measured.Bytes) >= parameters.Bytes
            : run.Streams(sends).Sum(static count => count.Measured.Total) >= parameters.Blocks);
    }

    private static TimeSpan StepOf(DataRun run, Iperf3Parameters parameters)
    {
        bool isShort = parameters.EndsByAmount && (run.Traffic.Receives || parameters.OmitSeconds > 0);
        TimeSpan? time = parameters.Duration;
        return isShort || run.Elapsed >= time ? ShortStepTime : run.TimeToTick(time, StepTime);
    }

    private void Finish(DataRun run, Iperf3Parameters parameters, StreamLink[] links)
    {
        Await(Iperf3State.ExchangeResults, ResultTime);
        control.SendJson(ResultsJson.Write(run.Results(run.SenderReport())));
        byte[] json = control.ReadJson(ResultsJson.MaxBytes, ResultTime);
        if (!ResultsJson.TryRead(json, out Iperf3Results? other, out string? error)) throw new Iperf3Exception(error);

        foreach (Iperf3StreamResult stream in other.Streams) run.Traffic.Announce(stream.Id, stream.Packets);
        long startTicks = time.GetTimestamp();
        while (!run.Traffic.IsComplete() && time.GetElapsedTime(startTicks) < DrainTime) Thread.Sleep(ShortStepTime);
        TestEndReport report = run.Report();
        Iperf3Outcome outcome = new OutcomeMaker(parameters, isClient: true, links)
            .Make(run.Results(report), other, report);
        observer.Tell(_isInterrupted ? outcome with { Notes = [Interrupted, .. outcome.Notes] } : outcome);
        Leave();
    }

    private void Leave()
    {
        try
        {
            Await(Iperf3State.DisplayResults, ControlStream.MessageTime);
            control.SendState(Iperf3State.Done);
        }
        catch (Iperf3Exception)
        {
            // The server has gone first: the results are there all the same.
        }
    }

    /// <summary>Whether the server has begun the test, which it does when it has all streams.</summary>
    private bool IsBegun(TimeSpan wait)
    {
        if (stop.IsCancellationRequested) throw Stopped();
        if (!_isStarted && TryRead(wait, out Iperf3State state))
        {
            if (state != Iperf3State.TestStart) throw Unexpected(state);

            _isStarted = true;
        }

        return _isStarted;
    }

    private void Await(Iperf3State expected, TimeSpan longest)
    {
        long startTicks = time.GetTimestamp();
        while (time.GetElapsedTime(startTicks) < longest)
        {
            if (stop.IsCancellationRequested && !_isStarted) throw Stopped();
            if (!TryRead(StepTime, out Iperf3State state)) continue;

            if (state != expected) throw Unexpected(state);

            return;
        }

        throw new Iperf3Exception(
            $"{control.Remote} did not continue the test within {longest.TotalSeconds:0} s");
    }

    private bool TryRead(TimeSpan wait, out Iperf3State state)
    {
        if (!control.TryReadState(wait, out state)) return false;

        switch (state)
        {
            case Iperf3State.AccessDenied:
                throw new Iperf3Exception("the server is busy running a test. try again later");
            case Iperf3State.ServerTerminate:
                throw new Iperf3Exception("the server has terminated");
            case Iperf3State.ServerError:
                (int code, int errno) = control.ReadError();
                throw new Iperf3Exception($"the server refused: {Iperf3Error.TextOf(code, errno)}");
            default:
                return true;
        }
    }

    private Iperf3Exception Stopped()
    {
        control.SendState(Iperf3State.ClientTerminate);
        return new Iperf3Exception("stopped before the test began");
    }

    private Iperf3Exception Unexpected(Iperf3State state) =>
        new($"{control.Remote} sent the unexpected state {(sbyte)state}: it may not be an iperf3 server");
}
