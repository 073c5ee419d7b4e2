namespace Geo.Embedded;

/// <summary>A grain interface whose grains are identified by a Guid (GEO section 2.1).</summary>
public interface IGrainWithGuidKey : IGrain;
