namespace Geo.Embedded;

/// <summary>A grain interface whose grains are identified by a text (GEO section 2.1).</summary>
public interface IGrainWithStringKey : IGrain;
