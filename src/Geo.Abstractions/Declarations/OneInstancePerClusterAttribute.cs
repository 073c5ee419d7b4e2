namespace Geo;

/// <summary>
/// The grain has an instance in every cluster that calls it; a versioned view keeps the instances consistent
/// (GEO section 1.1, multi-instance). Needs the versioned API (<c>JournaledGrain</c>).
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class OneInstancePerClusterAttribute : Attribute;
