namespace SimulatedOrders;

public interface IOrders : IGrainWithStringKey
{
    /// <summary>Counts more orders; they are stored when this returns.</summary>
    Task Add(int orders);

    Task<int> Count();
}
