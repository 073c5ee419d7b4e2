namespace Geo.Messaging.Overlays.Tests;

/// <summary>Tests that listen to the whole process: they run alone, so that no other test pays for their listening.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class ProcessWide
{
    public const string Name = "process-wide";
}
