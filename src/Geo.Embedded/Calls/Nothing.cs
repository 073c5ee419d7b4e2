namespace Geo.Embedded;

/// <summary>The result of a grain method that has none.</summary>
internal readonly record struct Nothing;
