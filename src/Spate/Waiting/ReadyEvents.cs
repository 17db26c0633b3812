namespace Spate.Waiting;

/// <summary>
/// What a socket became ready for. Errors and hang-ups count as both, since a call will then return at once.
/// </summary>
[Flags]
internal enum ReadyEvents
{
    None = 0,
    Readable = 1,
    Writable = 2,
}
