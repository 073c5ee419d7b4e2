namespace Geo.Embedded;

/// <summary>A grain of the versioned API, whose state and event types only the grain itself knows.</summary>
internal interface IJournaledGrain
{
    /// <summary>Makes the grain's view.</summary>
    IJournal Attach(IJournalSource source);
}
