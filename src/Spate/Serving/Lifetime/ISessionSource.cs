namespace Spate.Serving.Lifetime;

/// <summary>A table of sessions, as the account of its server sees it.</summary>
internal interface ISessionSource
{
    int Count { get; }

    SessionRefusals Refusals { get; }
}
