using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Servers;

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
