namespace Geo.Orleans;

/// <summary>The journal of a grain, which the grain's extensions find in its context.</summary>
internal interface IGeoJournal;
