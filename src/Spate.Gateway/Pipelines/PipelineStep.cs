namespace Spate.Gateway.Pipelines;

/// <summary>What the publisher of a pipeline does next.</summary>
internal enum PipelineStep
{
    /// <summary>Publish the pack.</summary>
    Publish,

    /// <summary>Wait for the pipeline's signal.</summary>
    Wait,

    /// <summary>Packs were refused and all is settled: pause, then publish them again.</summary>
    Pause,

    /// <summary>The connection is lost: connect again.</summary>
    Connect,

    /// <summary>Everything is said: end.</summary>
    End,
}
