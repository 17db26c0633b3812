using Spate.Waiting;

namespace Spate.Serving.Shards;

/// <summary>
/// The wait of the adaptive design: a thread that finds nothing parks while another one is awake; the last one waits
/// at the socket. A call that finds enough wakes one more.
/// </summary>
internal sealed class CrewWait(Crew crew, WaitRule last, ThreadWaiter waiter) : WaitRule(waiter)
{
    public override bool OnEmpty(int timeoutMilliseconds)
    {
        if (timeoutMilliseconds == 0) return false;
        if (!crew.TryBeginPark(Waiter, keepsOneAwake: true)) return last.OnEmpty(timeoutMilliseconds);

        // Somebody else was woken while this one spun: it must not go on counting as one that spins.
        last.OnParking();
        Waiter.Sleep(timeoutMilliseconds, forSockets: false);
        crew.EndPark(Waiter);
        return false;
    }

    public override void OnParking() => last.OnParking();

    public override void OnArrival(int datagramCount)
    {
        last.OnArrival(datagramCount);
        crew.OnBacklog(datagramCount);
    }
}
