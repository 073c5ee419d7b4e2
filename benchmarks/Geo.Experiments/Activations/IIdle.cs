namespace Geo.Experiments.Activations;

/// <summary>A grain that is called once.</summary>
public interface IIdle : IGrainWithIntegerKey
{
    Task Touch();
}
