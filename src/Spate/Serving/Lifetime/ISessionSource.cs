namespace Spate.Serving.Lifetime;

/// <summary>The members of a session table that <see cref="ServerMetrics"/> reads.</summary>
internal interface ISessionSource
{
    int Count { get; }

    SessionRefusals Refusals { get; }
}
