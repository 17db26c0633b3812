using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>One client's connection at the server, from its cookie to its results, on a thread of its own.</summary>
internal sealed class ServedTest(
    ControlStream control,
    Iperf3ServerOptions options,
    UdpAcceptor acceptor,
    TestSlots slots,
    Func<IIperf3Observer> newObserver,
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
            IIperf3Observer observer = newObserver();
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
