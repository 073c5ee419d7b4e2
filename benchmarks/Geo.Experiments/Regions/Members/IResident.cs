namespace Geo.Experiments.Regions;

/// <summary>A grain that is nothing but called.</summary>
public interface IResident : IGrainWithStringKey
{
    Task<int> Call();
}
