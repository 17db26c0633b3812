namespace Spate.HostTuning.Checks.Queues;

/// <summary>The checks of what lies between the card and the sockets.</summary>
internal static class QueueChecks
{
    public static IReadOnlyList<HostCheck> All { get; } =
    [
        new BacklogCheck(),
        new BudgetCheck(),
        new QueueDropCheck(),
        new QueueLengthCheck(),
        new DefaultQueueCheck(),
    ];
}
