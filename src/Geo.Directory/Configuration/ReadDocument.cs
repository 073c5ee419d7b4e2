namespace Geo.Directory;

/// <summary>A document as it was read, and the version that the next write must find; neither where there is none.</summary>
internal readonly record struct ReadDocument(ConfigurationDocument? Document, ETag? ETag);
