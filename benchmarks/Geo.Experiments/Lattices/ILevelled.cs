namespace Geo.Experiments.Lattices;

/// <summary>A register that only sessions touch.</summary>
public interface ILevelled : IGrainWithIntegerKey;
