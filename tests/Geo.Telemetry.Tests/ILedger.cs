using Geo.Embedded;

namespace Geo.Telemetry.Tests;

public interface ILedger : IGrainWithStringKey
{
    Task<int> Add(int amount);

    Task<int> Fail();
}
