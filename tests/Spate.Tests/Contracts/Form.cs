namespace Spate.Tests.Contracts;

/// <summary>The ways to make a call: on a batch or one datagram; blocking, for a time, at once, or awaited.</summary>
public enum Form
{
    Batch,
    BatchTimed,
    BatchTry,
    BatchAsync,
    One,
    OneTimed,
    OneTry,
    OneAsync,
}
