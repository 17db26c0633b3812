namespace Spate.Gateway.Pipelines;

/// <summary>
/// The packs of a pipeline that were published and are not yet confirmed. Those that the broker refused or that a lost
/// connection leaves open go again, in the order of their first publish and before anything new. Pure: no clock, no
/// lock, no connection.
/// </summary>
/// <remarks>
/// <code>
/// Add -> sent --confirm--> committed
///          |--return, confirm, or refuse--> again (no publish until nothing is sent and the pause is over)
///          `--connection lost--> again (in doubt until committed)
/// again --TakeAgain, Add--> sent
/// </code>
/// Of all packs at most <c>capacity</c> are sent or go again: nothing new is taken while one goes again.
/// </remarks>
internal sealed class ConfirmWindow(int capacity)
{
    // By tag. The place is empty once its pack is settled, so that a late first confirm holds back the next packs.
    private readonly PackBuffer?[] _sent = new PackBuffer?[capacity];
    private readonly List<PackBuffer> _again = new(capacity);
    private ulong _firstTag = 1;
    private ulong _nextTag = 1;
    private ulong _lastTicket;

    public int Capacity => capacity;

    /// <summary>Packs that are published on the present connection and not settled.</summary>
    public int SentCount { get; private set; }

    /// <summary>Packs that must be published again.</summary>
    public int AgainCount => _again.Count;

    /// <summary>Whether a tag is free.</summary>
    public bool HasRoom => _nextTag - _firstTag < (ulong)capacity;

    /// <summary>Whether no pack is unconfirmed.</summary>
    public bool IsEmpty => SentCount == 0 && _again.Count == 0;

    /// <summary>
    /// Whether a pack was refused since the last <see cref="EndSettling"/>: nothing may be published until all that is
    /// sent is settled and a pause is over, because the order would be lost otherwise.
    /// </summary>
    public bool MustSettle { get; private set; }

    /// <summary>The number of refusals of the pack that goes again first; 0 for none.</summary>
    public int RefusalCount => _again.Count > 0 ? _again[0].RefusalCount : 0;

    /// <summary>The pack that was published first of those that are sent; null for none.</summary>
    public PackBuffer? Oldest
    {
        get
        {
            for (ulong tag = _firstTag; tag < _nextTag; tag++)
            {
                if (At(tag) is { } pack) return pack;
            }

            return null;
        }
    }

    /// <summary>All packs that are not confirmed.</summary>
    public IEnumerable<PackBuffer> Packs => _sent.OfType<PackBuffer>().Concat(_again);

    /// <summary>The datagrams of all packs that are not confirmed: those in doubt, and the others.</summary>
    public (long InDoubt, long InFlight) CountDatagrams()
    {
        long inDoubt = 0, inFlight = 0;
        foreach (PackBuffer pack in Packs)
        {
            if (pack.IsInDoubt) inDoubt += pack.Count;
            else inFlight += pack.Count;
        }

        return (inDoubt, inFlight);
    }

    /// <summary>Notes that a pack is being published, and returns its tag. The window must have room.</summary>
    public ulong Add(PackBuffer pack)
    {
        if (pack.Ticket == 0) pack.Ticket = ++_lastTicket;
        pack.IsReturned = false;
        _sent[Place(_nextTag)] = pack;
        SentCount++;
        return _nextTag++;
    }

    /// <summary>Takes the pack that goes again first, to be added; null for none.</summary>
    public PackBuffer? TakeAgain()
    {
        if (_again.Count == 0) return null;
        PackBuffer pack = _again[0];
        _again.RemoveAt(0);
        return pack;
    }

    /// <summary>Called when all is settled and the pause is over.</summary>
    public void EndSettling() => MustSettle = false;

    /// <summary>
    /// The broker confirmed a tag, or all up to it. What it had returned goes again, the rest is added to
    /// <paramref name="committed"/>. Tags that are settled or were never used are ignored.
    /// </summary>
    public void Confirm(ulong tag, bool multiple, List<PackBuffer> committed)
    {
        (ulong from, ulong end) = Range(tag, multiple);
        for (ulong each = from; each < end; each++)
        {
            if (Settle(each) is not { } pack) continue;
            if (pack.IsReturned) GoAgainRefused(pack);
            else committed.Add(pack);
        }

        Advance();
    }

    /// <summary>The broker refused a tag, or all up to it.</summary>
    public void Refuse(ulong tag, bool multiple)
    {
        (ulong from, ulong end) = Range(tag, multiple);
        for (ulong each = from; each < end; each++)
        {
            if (Settle(each) is { } pack) GoAgainRefused(pack);
        }

        Advance();
    }

    /// <summary>
    /// The broker gave a message back, which is recognised by its first bytes. Returns false if none is like it.
    /// </summary>
    public bool MarkReturned(ReadOnlySpan<byte> body, int comparedBytes)
    {
        for (ulong tag = _firstTag; tag < _nextTag; tag++)
        {
            if (At(tag) is not { IsReturned: false } pack) continue;
            ReadOnlySpan<byte> own = pack.Message.Span;
            int length = Math.Min(comparedBytes, own.Length);
            if (body.Length < length || !own[..length].SequenceEqual(body[..length])) continue;
            pack.IsReturned = true;
            return true;
        }

        return false;
    }

    /// <summary>
    /// The connection is lost: all that is sent goes again, and is in doubt unless the broker had returned it. Tags
    /// begin anew.
    /// </summary>
    public void Lose()
    {
        for (ulong tag = _firstTag; tag < _nextTag; tag++)
        {
            if (Settle(tag) is not { } pack) continue;
            if (pack.IsReturned) pack.RefusalCount++;
            else pack.IsInDoubt = true;
            GoAgain(pack);
        }

        _firstTag = 1;
        _nextTag = 1;
        MustSettle = false;
    }

    /// <summary>Takes out all packs that go again: nobody waits for them any more.</summary>
    public PackBuffer[] GiveUpAgain()
    {
        PackBuffer[] again = [.. _again];
        _again.Clear();
        MustSettle = false;
        return again;
    }

    private int Place(ulong tag) => (int)(tag % (ulong)capacity);

    private PackBuffer? At(ulong tag) => _sent[Place(tag)];

    // Tag 0 with "multiple" means all that are outstanding (AMQP 0-9-1, delivery-tag).
    private (ulong From, ulong End) Range(ulong tag, bool multiple)
    {
        if (multiple) return (_firstTag, tag == 0 ? _nextTag : Math.Min(tag, _nextTag - 1) + 1);
        return tag >= _firstTag && tag < _nextTag ? (tag, tag + 1) : (0, 0);
    }

    private PackBuffer? Settle(ulong tag)
    {
        ref PackBuffer? place = ref _sent[Place(tag)];
        PackBuffer? pack = place;
        if (pack is null) return null;
        place = null;
        SentCount--;
        return pack;
    }

    private void Advance()
    {
        while (_firstTag < _nextTag && At(_firstTag) is null) _firstTag++;
    }

    private void GoAgainRefused(PackBuffer pack)
    {
        pack.RefusalCount++;
        MustSettle = true;
        GoAgain(pack);
    }

    // Tickets rise, so the place is at the end as a rule.
    private void GoAgain(PackBuffer pack)
    {
        pack.IsReturned = false;
        int at = _again.Count;
        while (at > 0 && _again[at - 1].Ticket > pack.Ticket) at--;
        _again.Insert(at, pack);
    }
}
