using FsCheck;
using FsCheck.Fluent;

namespace Spate.Tests.Samples;

/// <summary>Any row of calls leaves a tracker as a simple model says, which looks at all requests each time.</summary>
public sealed class RequestTrackerPropertyTests
{
    private const int Capacity = 5;
    private const int MaxTries = 3;
    private const int FirstTimeoutMilliseconds = 4;

    // An id of 7, a peer of 2, and milliseconds: few, so that requests meet in their ids and moments.
    private static Gen<Step[]> Steps =>
        (from kind in Gen.Elements(Kind.Add, Kind.Add, Kind.Complete, Kind.Wait, Kind.TakeDue)
         from id in Gen.Choose(0, 6)
         from peer in Gen.Choose(1, 2)
         from milliseconds in Gen.Choose(0, 9)
         select new Step(kind, id, UdpEndPoint.Loopback(peer), milliseconds)).ArrayOf();

    private enum Kind
    {
        Add,
        Complete,
        Wait,
        TakeDue,
    }

    [Fact]
    public void AnyCalls_OfATracker_FollowTheModel() => PropertyCheck.Hold(Steps, static steps =>
    {
        var time = new FakeTime();
        var firstTimeout = TimeSpan.FromMilliseconds(FirstTimeoutMilliseconds);
        var tracker = new RequestTracker<int>(Capacity, MaxTries, firstTimeout, time);
        var model = new Model();
        for (int i = 0; i < steps.Length; i++)
        {
            if (!IsSame(steps[i], i, tracker, model, time)) return false;
            TimeSpan untilDue = model.Open.Count == 0
                ? Timeout.InfiniteTimeSpan
                : TimeSpan.FromMilliseconds(Math.Max(0, model.Open.Min(static one => one.DueAt) - model.Now));
            if (tracker.Count != model.Open.Count || tracker.UntilDue != untilDue) return false;
            if (tracker.IsFull != (model.Open.Count == Capacity)) return false;
        }

        return true;
    });

    private static bool IsSame(Step step, int request, RequestTracker<int> tracker, Model model, FakeTime time)
    {
        Request? open = model.Open.Find(one => one.Id == step.Id);
        switch (step.Kind)
        {
            case Kind.Add:
                bool isAdded = open is null && model.Open.Count < Capacity;
                if (isAdded) model.Open.Add(new Request(step.Id, step.Peer, request, Tries: 0, model.Now));
                return tracker.TryAdd(step.Id, step.Peer, request) == isAdded;

            case Kind.Complete:
                bool isOpen = open is not null && open.Peer == step.Peer;
                if (tracker.TryFind(step.Id, step.Peer, out int found) != isOpen) return false;
                if (isOpen && found != open!.Value) return false;
                if (isOpen) model.Open.Remove(open!);
                return tracker.TryComplete(step.Id, step.Peer) == isOpen;

            case Kind.Wait:
                model.Now += step.Milliseconds;
                time.Advance(TimeSpan.FromMilliseconds(step.Milliseconds));
                return true;

            default:
                List<DueRequest<int>> taken = [];
                long now = time.GetTimestamp();

                // Bounded: queues that are linked in a circle would never end.
                while (taken.Count <= Capacity && tracker.TryTakeDue(now, out DueRequest<int> due)) taken.Add(due);
                return taken.OrderBy(static due => due.Id).SequenceEqual(model.TakeDue());
        }
    }

    private sealed record Step(Kind Kind, int Id, UdpEndPoint Peer, int Milliseconds);

    private sealed record Request(int Id, UdpEndPoint Peer, int Value, int Tries, long DueAt);

    private sealed class Model
    {
        public List<Request> Open { get; } = [];

        public long Now { get; set; }

        public IEnumerable<DueRequest<int>> TakeDue()
        {
            Request[] due = [.. Open.Where(one => one.DueAt <= Now).OrderBy(static one => one.Id)];
            foreach (Request one in due)
            {
                Open.Remove(one);
                if (one.Tries == MaxTries) continue;
                long dueAt = Now + (FirstTimeoutMilliseconds << one.Tries);
                Open.Add(one with { Tries = one.Tries + 1, DueAt = dueAt });
            }

            return due.Select(static one => new DueRequest<int>(one.Id, one.Peer, one.Value, one.Tries == MaxTries));
        }
    }
}
