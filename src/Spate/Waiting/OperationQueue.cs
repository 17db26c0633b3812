namespace Spate.Waiting;

/// <summary>Waiting operations of one direction, first in, first out. The caller holds the lock.</summary>
internal sealed class OperationQueue
{
    private PendingOperation? _last;

    public PendingOperation? First { get; private set; }

    public void Add(PendingOperation operation)
    {
        operation.Next = null;
        if (_last is null) First = operation;
        else _last.Next = operation;
        _last = operation;
    }

    public bool Remove(PendingOperation operation)
    {
        PendingOperation? previous = null;
        for (PendingOperation? current = First; current is not null; previous = current, current = current.Next)
        {
            if (!ReferenceEquals(current, operation)) continue;
            if (previous is null) First = current.Next;
            else previous.Next = current.Next;
            if (ReferenceEquals(_last, current)) _last = previous;
            current.Next = null;
            return true;
        }

        return false;
    }
}
