namespace Geo.Orleans.Tests.Grains;

/// <summary>A volatile grain with one instance per cluster whose updates a leader instance orders.</summary>
public interface ILed : IGrainWithStringKey
{
    Task Confirm(int amount);

    Task<Reading> Latest();
}
