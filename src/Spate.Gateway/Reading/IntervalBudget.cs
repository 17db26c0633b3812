namespace Spate.Gateway.Reading;

/// <summary>How many entries all keys of a reader may keep together. One thread at a time.</summary>
internal sealed class IntervalBudget(int count)
{
    /// <summary>Entries that can still be taken.</summary>
    public int Left { get; private set; } = count;

    /// <summary>Takes an entry; false if there is none left.</summary>
    public bool TryTake()
    {
        if (Left == 0) return false;
        Left--;
        return true;
    }

    public void GiveBack(int count) => Left += count;
}
